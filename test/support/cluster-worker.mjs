// A worker of a node:cluster that counts in its primary, driven by messages: the built code, since workers load no TypeScript.

import { createOutage, createRateLimiter, openRateStore } from '../../dist/callers/rate-limiter.js';

/** No answer of a busy test machine may come too late where the count has to be exact. */
const patientMs = 30_000;
const channel = 'rate-limiter-bench';
const limiters = new Map();

async function open(perMinute) {
  const outage = createOutage({ began: (reason) => process.send({ channel, away: reason }), ended: () => {} });
  const store = await openRateStore({ kind: 'cluster', timeoutMs: patientMs }, outage);
  return createRateLimiter({ store, perMinute, outage, now: Date.now });
}

process.on('message', async (message) => {
  if (message.channel !== channel) return;
  const { id, perMinute, method, args } = message;
  if (!limiters.has(perMinute)) limiters.set(perMinute, open(perMinute));
  const limiter = await limiters.get(perMinute);
  process.send({ channel, id, answer: await limiter[method](...args) });
});
process.send({ channel, isReady: true });
