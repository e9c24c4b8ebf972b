import { createClient } from 'ledger-gateway/client';
import { sayHello as withIota } from './sponsor-with-iota.ts';
import { sayHello as withSui } from './sponsor-with-sui.ts';

const client = createClient({ url: process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql' });
const sayHello = process.argv[2] === 'sui' ? withSui : withIota;

// A service keeps the keys in its database. Each transaction has its own `storeKey`.
// Several processes need `add`, which must be atomic: `INSERT … ON CONFLICT DO NOTHING`.
const kept = new Map<string, string>();
const store = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => kept.set(key, value),
  removeItem: (key: string) => kept.delete(key),
  add: (key: string, value: string) => !kept.has(key) && kept.set(key, value).has(key),
};
console.log(await sayHello(client, store));
