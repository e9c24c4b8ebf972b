import { follow } from './live.ts';

const gateway = process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql';
await follow(gateway, console.log, ({ code }) => console.error(code));
