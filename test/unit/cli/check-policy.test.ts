import { describe, expect, it } from 'vitest';
import type { CliWorld } from '../../../src/cli/cli-world.ts';
import { parseArguments } from '../../../src/cli/parse-arguments.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import { toSponsoredTransaction } from '../../support/sponsored-transaction.ts';

const digest = '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi';
const gasCoins = [{ objectId: `0x${'c'.repeat(64)}`, version: 3, digest }];
const { txBytes } = toSponsoredTransaction({ sponsorAddress: `0x${'5'.repeat(64)}`, gasCoins, gasBudget: 5_000 }, 1);

const file = {
  policies: {
    default: { moveCalls: ['0x2::hero::mint'], gas: { perTransaction: 5_000, perDay: 9_000, storage: 10 } },
    small: { gas: { perTransaction: 4_999 } },
    other: { moveCalls: ['0x2::coin'] },
  },
  clients: [{ id: 'page', hash: 'a1'.repeat(32), scopes: ['sponsor'], policy: 'small' }],
};

async function check(client: string, tx = txBytes, text = JSON.stringify(file)) {
  const seen = { out: '', error: '' };
  const world = {
    env: { CLIENTS_FILE: '/clients' },
    readFile: () => text,
    writeOut: (part: string) => {
      seen.out += part;
    },
    writeError: (part: string) => {
      seen.error += part;
    },
  } as unknown as CliWorld;
  const parsed = parseArguments(['policy', 'check', '--client', client, `--tx=${tx}`]);
  return { code: await runCommand(parsed, world), ...seen };
}

describe('policy check', () => {
  it('allows what the preflight would allow, and names the rules that depend on more', async () => {
    expect(await check('default')).toEqual({
      code: 0,
      out: 'allowed\nnot decided here, because it depends on earlier use or the ledger: gas.perDay, gas.storage\n',
      error: '',
    });
  });

  it.each([
    ['page', /^denied by gas\.perTransaction: a gas budget may be at most 4999 /],
    ['other', /^denied by moveCalls: it calls 0x2::hero::mint; /],
  ])('denies by the rule of %s', async (client, out) => {
    expect(await check(client)).toMatchObject({ code: 1, out: expect.stringMatching(out) });
  });

  it('denies bytes that are no transaction', async () => {
    const { code, out } = await check('default', Buffer.from('no transaction').toString('base64'));
    expect([code, out]).toEqual([1, expect.stringMatching(/^denied: it cannot be verified/)]);
  });

  it.each([
    ['nobody', txBytes, JSON.stringify(file), 'has no client and no policy nobody'],
    ['default', 'AA=', JSON.stringify(file), '--tx is not canonical base64'],
    ['default', txBytes, '{}', 'CLIENTS_FILE'],
  ])('fails for unusable arguments and files: %s', async (client, tx, text, message) => {
    expect(await check(client, tx, text)).toMatchObject({ code: 2, out: '', error: expect.stringContaining(message) });
  });
});
