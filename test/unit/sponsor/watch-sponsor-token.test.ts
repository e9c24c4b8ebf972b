import { expect, it } from 'vitest';
import { gatewayError } from '../../../src/errors/gateway-error.ts';
import type { SponsorClient } from '../../../src/sponsor/sponsor-client.ts';
import { watchSponsorToken } from '../../../src/sponsor/watch-sponsor-token.ts';
import { createCancellation } from '../../../src/upstream/cancellation.ts';

it('a refused token is told once, until it is taken again', async () => {
  let outcome: () => Promise<never> | Promise<{ result: string }> = async () => ({ result: 'success' });
  const client = {
    reloadAccessController: () => outcome(),
    version: () => Promise.resolve('1'),
  } as unknown as SponsorClient;
  const told: string[] = [];
  const watched = watchSponsorToken(client, {
    refused: () => told.push('refused'),
    accepted: () => told.push('accepted'),
  });
  const ask = () => watched.reloadAccessController(null, createCancellation()).catch(() => null);

  await ask();
  outcome = () => Promise.reject(gatewayError('SPONSOR_UNAUTHORIZED', 'no'));
  await ask();
  await ask();
  outcome = () => Promise.reject(gatewayError('UPSTREAM_UNAVAILABLE', 'away'));
  await ask();
  await watched.version(null, createCancellation());
  expect(told).toEqual(['refused']);
  outcome = async () => ({ result: 'success' });
  await ask();
  expect(told).toEqual(['refused', 'accepted']);
});
