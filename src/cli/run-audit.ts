import { type CliWorld, orExitCode } from './cli-world.ts';
import { defineCommand } from './command.ts';

export const auditCommand = defineCommand({
  name: 'audit',
  usage: [['[FILE...]', 'add up who spent what, from log lines in files or standard input']],
  options: { json: { about: 'print JSON lines' } },
  maxFiles: Number.POSITIVE_INFINITY,
  examples: ['ledger-gateway audit /var/log/ledger-gateway/*.log'],
  run: ({ json }, world, files) => orExitCode(2, world, () => runAudit(files, json, world)),
});

/** Who spent what on one UTC day. Amounts in the smallest unit of the gas coin; `null`: the lines do not tell. */
export interface AuditRow {
  readonly day: string;
  readonly client: string;
  readonly visitor: string | null;
  readonly sender: string | null;
  /** The called functions, separated by spaces. */
  readonly target: string | null;
  /** Gas budgets of the reservations. */
  reserved: number;
  executed: number;
  failed: number;
  gas: number;
  /** Refusals by rule of the policy, else by error code. */
  readonly refused: Record<string, number>;
}

/** The members of a line of the audit log that count here. */
interface AuditLine {
  readonly msg?: unknown;
  readonly time?: unknown;
  readonly event?: unknown;
  readonly caller?: unknown;
  readonly lease?: unknown;
  readonly visitor?: unknown;
  readonly sender?: unknown;
  readonly targets?: unknown;
  readonly budget?: unknown;
  readonly gasUsed?: unknown;
  readonly rule?: unknown;
  readonly code?: unknown;
  readonly digest?: unknown;
}

type Who = Pick<AuditRow, 'day' | 'client' | 'visitor' | 'sender' | 'target'>;

interface OpenLease {
  readonly who: Who;
  readonly reserved: number;
}

/** Adds up the lines of the audit log. The lines of one lease complete each other: a reservation does not know its target. */
export class Audit {
  readonly #rows = new Map<string, AuditRow>();
  /** Leases without an end. */
  readonly #open = new Map<string, OpenLease>();
  /** Digests of counted transactions: after a crash, another process may write the end again. */
  readonly #ended = new Set<unknown>();

  /** Counts one line of a log; ignores lines that are no part of the audit log. */
  add(text: string): void {
    const line = parseLine(text);
    if (line === null) return;
    const { event, caller, lease, digest, budget, gasUsed, rule, code } = line;
    const id = typeof lease === 'string' ? `${String(caller)}\n${lease}` : null;
    const before = id === null ? undefined : this.#open.get(id);
    const who = toWho(line, before?.who);
    const reserved = (before?.reserved ?? 0) + (event === 'reserved' ? toAmount(budget) : 0);
    if (event === 'executed' || event === 'recovered' || event === 'failed') {
      if (this.#ended.has(digest)) return;
      if (typeof digest === 'string') this.#ended.add(digest);
      const row = this.#row(who);
      row.reserved += reserved;
      row.gas += toAmount(gasUsed ?? budget);
      row[event === 'failed' ? 'failed' : 'executed'] += 1;
      if (id !== null) this.#open.delete(id);
      return;
    }
    if (event === 'declined' || event === 'refused' || event === 'reserve-refused') {
      const { refused } = this.#row(who);
      const name = String(rule ?? code);
      refused[name] = (refused[name] ?? 0) + 1;
    }
    if (id !== null) this.#open.set(id, { who, reserved });
  }

  /** By day, client, visitor, sender and target. */
  rows(): readonly AuditRow[] {
    for (const { who, reserved } of this.#open.values()) if (reserved > 0) this.#row(who).reserved += reserved;
    this.#open.clear();
    return [...this.#rows].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  }

  #row(who: Who): AuditRow {
    const key = JSON.stringify(Object.values(who));
    let row = this.#rows.get(key);
    if (!row) {
      row = { ...who, reserved: 0, executed: 0, failed: 0, gas: 0, refused: {} };
      this.#rows.set(key, row);
    }
    return row;
  }
}

function parseLine(text: string): AuditLine | null {
  // Most lines of a log are about requests.
  if (!text.includes('"sponsorship"')) return null;
  try {
    const line = JSON.parse(text) as AuditLine | null;
    return line?.msg === 'sponsorship' ? line : null;
  } catch {
    return null;
  }
}

function toWho({ time, caller, visitor, sender, targets }: AuditLine, before: Who | undefined): Who {
  const at = typeof time === 'number' || typeof time === 'string' ? new Date(time) : new Date(Number.NaN);
  return {
    day: before?.day ?? (Number.isNaN(at.getTime()) ? 'unknown' : at.toISOString().slice(0, 10)),
    client: before?.client ?? String(caller),
    visitor: toText(visitor) ?? before?.visitor ?? null,
    sender: toText(sender) ?? before?.sender ?? null,
    target: toText(targets) ?? before?.target ?? null,
  };
}

const toText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const toAmount = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Prints who spent what, from files with log lines or standard input. Resolves with the exit code; 2: a file is unusable. */
async function runAudit(
  files: readonly string[],
  isJson: boolean,
  world: Pick<CliWorld, 'readLines' | 'writeOut' | 'writeError'>,
): Promise<number> {
  const audit = new Audit();
  for (const file of files.length === 0 ? ['-'] : files)
    for await (const line of world.readLines(file)) audit.add(line);
  const rows = audit.rows();
  world.writeOut(isJson ? rows.map((row) => `${JSON.stringify(row)}\n`).join('') : toTable(rows));
  return 0;
}

function toTable(rows: readonly AuditRow[]): string {
  const heads = ['day', 'client', 'visitor', 'sender', 'target', 'reserved', 'executed', 'failed', 'gas', 'refused'];
  const cells = rows.map(({ refused, ...row }) => [
    ...Object.values(row).map((value) => String(value ?? '-')),
    Object.entries(refused)
      .map(([rule, count]) => `${rule} ${count}`)
      .join(', ') || '-',
  ]);
  const widths = heads.map((head, column) => Math.max(head.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const toLine = (row: readonly string[]) =>
    `${row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()}\n`;
  return [heads, ...cells].map(toLine).join('');
}
