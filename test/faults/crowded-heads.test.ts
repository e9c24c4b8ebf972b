import { expect, test } from 'vitest';
import { openRawClient, toPostText } from '../support/raw-client.ts';
import { createTestGateway } from '../support/test-gateway.ts';

test('a proxy header after thousands of client headers is read', async () => {
  await using gateway = await createTestGateway({ TRUSTED_PROXIES: '127.0.0.1' });
  const client = await openRawClient(Number(new URL(gateway.url).port));

  const [head = '', body = ''] = toPostText({ query: '{ viewer { id scopes } }' }).split('\r\n\r\n');
  const crowd = 'xy:a\r\n'.repeat(4_000);
  await client.send(`${head}\r\n${crowd}x-forwarded-for: 203.0.113.7\r\nconnection: close\r\n\r\n${body}`);
  expect(await client.whole()).toContain('"id":"address:203.0.113.7"');
});

test('too many headers are rejected, whether client or proxy added the last', async () => {
  await using gateway = await createTestGateway();
  const client = await openRawClient(Number(new URL(gateway.url).port));
  await client.send(`GET /health/live HTTP/1.1\r\nhost: localhost\r\n${'x:aaaaaaaa\r\n'.repeat(4_000)}\r\n`);
  expect(await client.whole()).toMatch(/^HTTP\/1\.1 431 /);
});
