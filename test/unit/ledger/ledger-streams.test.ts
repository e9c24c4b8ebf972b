import { expect, it } from 'vitest';
import { LedgerStream } from '../../../src/ledger/ledger-streams.ts';

it('counts what is kept until it is read, or the stream is left', async () => {
  const all = { bytes: 0 };
  const streams = [0, 1].map(() => new LedgerStream(all, null, () => {}));
  for (const { sink } of streams) for (let count = 0; count < 3; count += 1) sink.next({ data: { a: 1 } }, 10_000);
  expect(all.bytes).toBe(60_000);
  await streams[0]?.next();
  expect(all.bytes).toBe(50_000);
  for (const stream of streams) await stream.return();
  expect(all.bytes).toBe(0);
});
