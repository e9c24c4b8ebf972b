import { groups } from '../config/policy.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { QuerySponsorshipSpendingArgs, SponsorshipSpending } from '../generated/own.ts';
import { badArgument } from './sponsor-fields.ts';
import type { SponsorshipStore } from './store/decide.ts';
import { dayMs, dayOf, type SpendingPart, type SpendingRow, toDay } from './store/sponsorship-store.ts';

/** Rows of one answer. */
const maxRows = 10_000;

/** Who spent what on a day, from the store. Rejects with an error meant for the client. */
export async function readSpending(
  store: Pick<SponsorshipStore, 'findSpending'>,
  args: Partial<QuerySponsorshipSpendingArgs>,
  nowMs: number,
): Promise<readonly SponsorshipSpending[]> {
  const day = parseDay(args.day ?? null, nowMs);
  const { client = null } = args;
  const rows: SpendingRow[] = [];
  // An id as in `CLIENTS_FILE` is as good.
  for (const name of client === null ? await readClients() : [client, groups.client(client)])
    await readAll(name, (part) => rows.push(...part.rows));
  return rows.map(({ reserved, held, settled, ...row }) => ({
    day: toDay(day * dayMs),
    ...row,
    reserved: String(reserved),
    held: String(held),
    settled: String(settled),
  }));

  async function readClients(): Promise<readonly string[]> {
    const clients: string[] = [];
    await readAll(null, (part) => clients.push(...part.clients));
    return clients;
  }

  async function readAll(name: string | null, take: (part: SpendingPart) => void): Promise<void> {
    for (let from: number | null = 0; from !== null; ) {
      const part: SpendingPart = await store.findSpending({ day, client: name, from, nowMs }).catch(() => {
        throw gatewayError('UPSTREAM_UNAVAILABLE', 'The sponsorship store of this gateway is unavailable. Try again.');
      });
      take(part);
      from = part.next;
      if (rows.length > maxRows)
        throw gatewayError('PAYLOAD_TOO_LARGE', `The day has more than ${maxRows} rows: ask for one client.`);
    }
  }
}

/** In days since the Unix epoch. */
function parseDay(text: string | null, nowMs: number): number {
  const [today, yesterday] = [toDay(nowMs), toDay(nowMs - dayMs)];
  if (text === null || text === today) return dayOf(nowMs);
  if (text === yesterday) return dayOf(nowMs - dayMs);
  const rule = `it must be today or yesterday in UTC, ${today} or ${yesterday}; the audit log has earlier days`;
  throw badArgument('day', text, rule);
}
