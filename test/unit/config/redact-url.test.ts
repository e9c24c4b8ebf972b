import { expect, test } from 'vitest';
import { redactUrl } from '../../../src/config/secret.ts';

test.each([
  ['https://node.example/graphql', 'https://node.example/graphql'],
  ['https://node.example', 'https://node.example/'],
  ['http://127.0.0.1:9527/', 'http://127.0.0.1:9527/'],
  ['https://me:pw@node.example:8443/rpc', 'https://[redacted]@node.example:8443/rpc'],
  ['https://key@node.example/', 'https://[redacted]@node.example/'],
  ['wss://node.example/ws?apikey=pw#pw', 'wss://node.example/ws?[redacted]#[redacted]'],
  ['redis://:pw@cache:6379/0', 'redis://[redacted]@cache:6379/0'],
  ['user:pw@node.example', '[not a URL, 20 characters]'],
  ['ftp://user:pw@h', '[not a URL, 15 characters]'],
  ['pw', '[not a URL, 2 characters]'],
])('%s is shown as %s', (url, shown) => {
  expect(redactUrl(url)).toBe(shown);
});
