import { describe, expect, it } from 'vitest';
import type { CliWorld } from '../../../src/cli/cli-world.ts';
import { parseArguments } from '../../../src/cli/parse-arguments.ts';
import type { AuditRow } from '../../../src/cli/run-audit.ts';
import { runCommand } from '../../../src/cli/run-command.ts';

const line = (event: string, more: object = {}, time = '2026-11-24T10:00:00.000Z') =>
  JSON.stringify({ level: 'info', time, msg: 'sponsorship', event, caller: 'client:shop', lease: 'one', ...more });

async function audit(lines: readonly string[], isJson = true) {
  let out = '';
  const world: Partial<CliWorld> = {
    async *readLines() {
      yield* lines;
    },
    writeOut: (text) => {
      out += text;
    },
  };
  const code = await runCommand(parseArguments(isJson ? ['audit', '--json'] : ['audit']), world as CliWorld);
  expect(code).toBe(0);
  return out;
}
const rowsOf = async (lines: readonly string[]): Promise<AuditRow[]> =>
  (await audit(lines))
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text));

const row = { day: '2026-11-24', client: 'client:shop', visitor: null, sender: null, target: null };
const nothing = { reserved: 0, executed: 0, failed: 0, gas: 0, refused: {} };

describe('audit', () => {
  it('completes a reservation by the lines of its execution, also past midnight', async () => {
    const sent = { sender: '0x5', targets: '0x2::a::b', visitor: 'v' };
    const rows = await rowsOf([
      line('reserved', { budget: 100 }, '2026-11-24T23:59:59.000Z'),
      line('dispatched', sent, '2026-11-25T00:00:01.000Z'),
      line('executed', { gasUsed: 40 }, '2026-11-25T00:00:02.000Z'),
    ]);
    const { targets: target, ...who } = sent;
    expect(rows).toEqual([{ ...row, ...who, target, ...nothing, reserved: 100, executed: 1, gas: 40 }]);
  });

  it('adds up outcomes and refusals, and keeps clients and leases apart', async () => {
    const rows = await rowsOf([
      line('reserved', { budget: 10 }),
      line('reserved', { budget: 20, lease: 'two' }),
      line('reserved', { budget: 30, caller: 'client:game' }),
      line('failed', { gasUsed: 7 }),
      line('recovered', { lease: 'two', budget: 20 }),
      line('declined', { lease: 'three', rule: 'moveCalls', code: 'FORBIDDEN' }),
      line('reserve-refused', { lease: undefined, rule: 'gas.perDay', code: 'RATE_LIMITED' }),
      line('reserve-refused', { lease: undefined, rule: 'gas.perDay', code: 'RATE_LIMITED' }),
      line('refused', { lease: 'four', code: 'SPONSOR_REJECTED' }),
    ]);
    const refused = { moveCalls: 1, 'gas.perDay': 2, SPONSOR_REJECTED: 1 };
    expect(rows).toEqual([
      { ...row, client: 'client:game', ...nothing, reserved: 30 },
      { ...row, ...nothing, reserved: 30, failed: 1, executed: 1, gas: 27, refused },
    ]);
  });

  it('counts a transaction once, although two processes wrote its end', async () => {
    const end = { digest: 'd', gasUsed: 4 };
    const lines = [
      line('reserved', { budget: 5 }),
      line('executed', end),
      line('recovered', end),
      line('executed', end),
    ];
    expect(await rowsOf(lines)).toEqual([{ ...row, ...nothing, reserved: 5, executed: 1, gas: 4 }]);
  });

  it('ignores all other lines', async () => {
    const others = ['', '{', 'null "sponsorship"', '{"msg":"request","event":"sponsorship"}', line('replayed')];
    expect(await rowsOf(others)).toEqual([]);
  });

  it('prints a table without --json', async () => {
    const text = await audit([line('reserved', { budget: 5 }), line('declined', { code: 'FORBIDDEN' })], false);
    expect(text.split('\n').map((each) => each.split(/ {2,}/))).toEqual([
      ['day', 'client', 'visitor', 'sender', 'target', 'reserved', 'executed', 'failed', 'gas', 'refused'],
      ['2026-11-24', 'client:shop', '-', '-', '-', '5', '0', '0', '0', 'FORBIDDEN 1'],
      [''],
    ]);
  });

  it('fails for a file that cannot be read', async () => {
    let said = '';
    const world: Partial<CliWorld> = {
      // biome-ignore lint/correctness/useYield: it fails before
      async *readLines() {
        throw new Error('ENOENT: no such file');
      },
      writeError: (text) => {
        said = text;
      },
    };
    const code = await runCommand(parseArguments(['audit', '/nowhere']), world as CliWorld);
    expect([code, said]).toEqual([2, 'ledger-gateway: ENOENT: no such file\n']);
  });
});
