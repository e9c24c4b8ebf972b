import { afterAll, beforeAll, expect, it } from 'vitest';
import { networkProfiles } from '../../../../src/config/network-profile.ts';
import type { Devnet } from '../../../../src/devnet/start-devnet.ts';
import { createEventWatches } from '../../../../src/events/event-watches.ts';
import { startTickedDevnet } from '../../../support/live-network.ts';
import { until } from '../../../support/until.ts';

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startTickedDevnet();
});
afterAll(async () => {
  await devnet?.close();
});

it('a watch that is left gives back its place among the 100 of a connection', async () => {
  const watches = createEventWatches({
    source: 'websocket',
    profile: networkProfiles.iota,
    push: { offers: () => false, listen: () => () => {} },
    rpcSockets: { urls: [devnet.rpcWsUrl] },
    telemetry: { subscriptionsChanged() {} },
  });
  const watch = () => {
    const state = { isUp: false };
    const stop = watches.ofEvents({ all: true })?.({
      news() {},
      up: () => Object.assign(state, { isUp: true }),
      down: () => Object.assign(state, { isUp: false }),
    });
    return { state, stop: () => stop?.() };
  };
  for (let round = 0; round < 2; round += 1) {
    const all = Array.from({ length: 100 }, watch);
    await until(() => all.every(({ state }) => state.isUp), 'all of them');
    for (const { stop } of all) stop();
  }
  const { state, stop } = watch();
  await until(() => state.isUp, 'one more');
  stop();
  expect(state.isUp).toBe(true);
  const last = watch();
  await until(() => last.state.isUp, 'the last one');
  watches.close();
  expect(last.state.isUp).toBe(false);
  last.stop();
});
