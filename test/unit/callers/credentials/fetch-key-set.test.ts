import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { fetchKeySet } from '../../../../src/callers/credentials/signing-keys.ts';
import { createSigningKey, startTokenIssuer, type TokenIssuer } from '../../../support/token-issuer.ts';
import { until } from '../../../support/until.ts';

let issuer: TokenIssuer;
beforeAll(async () => {
  issuer = await startTokenIssuer(await createSigningKey('one'));
});
afterAll(() => issuer?.[Symbol.asyncDispose]());

const read = (timeoutMs = 5_000) => fetchKeySet({ url: issuer.url, timeoutMs, maxBytes: 4_096 });

test('the keys are those that the issuer publishes', async () => {
  issuer.answer(null);
  expect((await read()).keys).toMatchObject([{ kid: 'one', kty: 'EC' }]);
});

const countTimers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
const send = (text: string) => (res: ServerResponse) => void res.end(text);

test.each<[string, (res: ServerResponse) => void, string]>([
  ['a redirect', (res) => void res.writeHead(302, { location: '/elsewhere' }).end(), 'the answer has status 302'],
  ['an error', (res) => void res.writeHead(500).end('{"keys":[]}'), 'the answer has status 500'],
  ['HTML', send('<html>'), 'the answer is not JSON'],
  ['another object', send('{"issuer":"x"}'), 'the answer is no set of up to 100 keys'],
  ['a list', send('[]'), 'the answer is no set of up to 100 keys'],
  ['keys that are none', send('{"keys":["x"]}'), 'the answer is no set of up to 100 keys'],
  ['keys without number', send(`{"keys":[${Array(101).fill('{}').join()}]}`), 'the answer is no set of up to 100 keys'],
  ['too much of it', send(`{"keys":[],"x":"${'x'.repeat(5_000)}"}`), 'the answer is over 4096 bytes'],
  ['half an answer', (res) => void res.write('{"keys":', () => res.destroy()), 'it cannot be asked'],
])('%s is not taken for keys', async (_, respond, reason) => {
  const [before, timersBefore] = [issuer.asked, countTimers()];
  issuer.answer(respond);
  const failure = await read().catch((error: Error) => error);
  expect(failure).toBeInstanceOf(Error);
  if (reason === 'it cannot be asked') expect((failure as Error).message).not.toContain('127.0.0.1');
  else expect((failure as Error).message).toBe(reason);
  expect(issuer.asked).toBe(before + 1);
  expect(countTimers()).toBeLessThanOrEqual(timersBefore);
});

test('an endless response is abandoned by time and by size', async () => {
  let isOpen = true;
  issuer.answer((res) => {
    const pour = () => {
      while (isOpen && res.write('x'.repeat(16_384)));
    };
    res.on('drain', pour).on('close', () => {
      isOpen = false;
    });
    pour();
  });
  await expect(read()).rejects.toThrow('the answer is over 4096 bytes');
  issuer.answer((res) => void res.write('{'));
  await expect(read(100)).rejects.toThrow('no whole answer within 100 ms');
  issuer.answer(() => {});
  await expect(read(100)).rejects.toThrow('no whole answer within 100 ms');
});

test('a response with another status is not read completely', async () => {
  // Keeps the response: garbage collection would close its connection too.
  vi.spyOn(globalThis, 'fetch');
  onTestFinished(() => void vi.restoreAllMocks());
  let isOpen = true;
  issuer.answer((res) => {
    res.on('close', () => {
      isOpen = false;
    });
    res.writeHead(500).write('x');
  });
  await expect(read(60_000)).rejects.toThrow('the answer has status 500');
  await until(() => !isOpen, 'the end of the connection');
});

test('an unreachable issuer is reported by its system error code only', async () => {
  const gone = await startTokenIssuer();
  await gone[Symbol.asyncDispose]();
  await expect(fetchKeySet({ url: gone.url, timeoutMs: 5_000, maxBytes: 1 })).rejects.toThrow(/^ECONNREFUSED$/);
});
