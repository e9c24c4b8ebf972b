import { createClient } from 'ledger-gateway/client';
import { follow } from './live.ts';

const client = createClient({ url: process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql' });
// A service keeps the cursor in its database.
const kept = new Map<string, string>();
const store = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => kept.set(key, value),
  removeItem: (key: string) => kept.delete(key),
};
await follow(client, console.log, ({ code }) => console.error(code), store);
