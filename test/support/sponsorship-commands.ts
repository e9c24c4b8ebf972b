import * as fc from 'fast-check';
import type { LookUpManner } from './hostile-ledger.ts';
import type { ExecuteManner, ReserveManner } from './hostile-sponsor.ts';
import { judgeBooks, readAllowance } from './judge-sponsorship.ts';
import {
  type HeldLease,
  reservationQuery,
  type SponsorshipHistory,
  toTransaction,
  wrongs,
} from './sponsorship-history.ts';
import { callerNames, type SponsorshipWorld } from './sponsorship-world.ts';

/** The world that commands act on. */
export interface Played {
  readonly world: SponsorshipWorld;
  readonly history: SponsorshipHistory;
  /** Gives each `reserveGas` a unique budget. */
  readonly nextBudget: (around: number) => number;
  readonly budgetOfKey: Map<string, number>;
}

interface Step {
  readonly name: string;
  readonly about: object;
  readonly can?: (played: Played) => boolean;
  readonly play: (played: Played) => Promise<unknown>;
}

class StepCommand implements fc.AsyncCommand<object, Played> {
  readonly #step: Step;
  constructor(step: Step) {
    this.#step = step;
  }
  check(): boolean {
    return true;
  }
  async run(_: object, played: Played): Promise<void> {
    if (this.#step.can?.(played) ?? true) await this.#step.play(played);
    judgeBooks(played.world, played.history);
  }
  toString(): string {
    return `${this.#step.name} ${JSON.stringify(this.#step.about)}`;
  }
}

const command = <About extends object>(
  name: string,
  about: fc.Arbitrary<About>,
  play: (about: About, played: Played) => Promise<unknown>,
  can?: (played: Played) => boolean,
) =>
  about.map(
    (chosen) => new StepCommand({ name, about: chosen, play: (played) => play(chosen, played), ...(can && { can }) }),
  );

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Waits for the response, or continues without it. */
const perhaps = (asked: Promise<unknown>, waits: boolean) => (waits ? asked : pause(3));

const caller = fc.constantFrom(...callerNames);
const instance = fc.nat(1);
const key = fc.oneof({ weight: 2, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(2) });
const waits = fc.boolean();

const reserveManner: fc.Arbitrary<ReserveManner> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<ReserveManner>('reserves') },
  {
    weight: 3,
    arbitrary: fc.constantFrom<ReserveManner>(
      'reserves, hangs up',
      'reserves, answers late',
      'reserves, cuts its answer',
      'reserves, fails in words unknown',
      'hangs up',
      'has no coins',
      'is in maintenance',
      'shows a page',
    ),
  },
);

type Conduct = Pick<ExecuteManner, 'runs' | 'says'>;
const run = (says: ExecuteManner['says']): Conduct => ({ runs: 'at once', says });
const conducts: fc.Arbitrary<Conduct> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(run('effects')) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ...(['effects twice', 'effects late', 'effects cut short', 'effects of another'] as const).map(run),
      run('effects under a refusal'),
      ...(['nothing', 'nothing, and waits', 'unknown words', 'a page', 'a refusal that names it'] as const).flatMap(
        (says) => (['at once', 'later', 'never'] as const).map((runs) => ({ runs, says })),
      ),
    ),
  },
  { weight: 1, arbitrary: fc.constant<Conduct>({ runs: 'never', says: 'a known refusal' }) },
);
const executeManner: fc.Arbitrary<ExecuteManner> = fc
  .tuple(
    conducts,
    fc.boolean(),
    fc.record({ computation: fc.nat(2_000_000), storage: fc.nat(3_000_000), rebate: fc.nat(3_000_000) }),
  )
  .map(([conduct, succeeds, gas]) => ({ ...conduct, succeeds, gas }));

const lookUpManner = fc.constantFrom<LookUpManner>('knows', 'knows', 'lags', 'refuses', 'fails', 'hangs', 'hangs up');

const reserve = command(
  'reserve',
  fc.record({
    caller,
    instance,
    key,
    waits,
    manner: reserveManner,
    around: fc.integer({ min: 1, max: 4 }),
    otherBody: fc.boolean(),
    twins: fc.boolean(),
    seconds: fc.constantFrom(5, 60, 600),
  }),
  async (about, { world, history, nextBudget, budgetOfKey }) => {
    const written = history.keyOf(about.key);
    const known = written === null ? undefined : budgetOfKey.get(about.caller + written);
    const budget = about.otherBody ? nextBudget(about.around) : (known ?? nextBudget(about.around));
    if (written !== null) budgetOfKey.set(about.caller + written, known ?? budget);
    if (known === undefined) world.sponsor.onReserve(budget, about.manner);
    const at = written !== null && about.twins ? [0, 1] : [about.instance];
    // A key is valid for one body, so everything except the budget must be equal.
    const seconds = written === null ? about.seconds : 60;
    await perhaps(
      Promise.all(at.map((each) => history.reserve(each % world.size, about.caller, budget, seconds, written))),
      about.waits,
    );
  },
);

const execute = command(
  'execute',
  fc.record({
    lease: fc.nat(5),
    instance,
    key,
    waits,
    manner: executeManner,
    number: fc.nat(1),
    by: fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: caller }),
    wrong: fc.oneof(
      { weight: 3, arbitrary: fc.constant(wrongs[0]) },
      { weight: 1, arbitrary: fc.constantFrom(...wrongs) },
    ),
    tampered: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat(300) }),
    twins: fc.constantFrom(1, 1, 2, 3),
    leavesAfterMs: fc.oneof(
      { weight: 8, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom(0, 2, 10) },
    ),
  }),
  async (about, { world, history }) => {
    const lease = history.leases[about.lease % history.leases.length] as HeldLease;
    // A caller with a sponsor number and its own credential may use the number as the sponsor allows.
    const asIs = world.isForward ? { wrong: wrongs[0], by: null, tampered: null } : about;
    const tx = toTransaction(lease, asIs.wrong, about.number);
    if (!history.executions.some((asked) => asked.tx.digest === tx.digest))
      world.sponsor.onExecute(tx.digest, about.manner);
    const asked = {
      caller: asIs.by ?? lease.owner,
      lease,
      leaseText: asIs.tampered === null ? lease.id : tamper(lease.id, asIs.tampered),
      tx,
      key: history.keyOf(about.key),
      isRight: world.allows(lease.owner, asIs.wrong),
    };
    const leaving = new AbortController();
    if (about.leavesAfterMs !== null) setTimeout(() => leaving.abort(), about.leavesAfterMs);
    const all = Array.from({ length: about.twins }, (_, index) =>
      history.execute((about.instance + index) % world.size, asked, leaving.signal),
    );
    await perhaps(Promise.all(all), about.waits);
  },
  ({ history }) => history.leases.length > 0,
);

/** Changes one character. */
function tamper(text: string, place: number): string {
  const at = place % text.length;
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
}

const look = command(
  'look',
  fc.record({ lease: fc.nat(5), instance, caller }),
  async (about, { world, history }) => {
    const lease = history.leases[about.lease % history.leases.length] as HeldLease;
    const seen = await world.ask(about.instance % world.size, about.caller, reservationQuery, { lease: lease.id });
    const shown = seen?.data?.reservation as { gasBudget: number } | null | undefined;
    // A restarted sponsor reused the number: each reservation had its own budget.
    if (about.caller !== lease.owner && shown && (!world.isForward || shown.gasBudget === lease.gasBudget))
      throw new Error('somebody else’s reservation was shown');
  },
  ({ history }) => history.leases.length > 0,
);

const lookAtBudget = command('look at the budget', fc.record({ caller, instance }), (about, { world }) =>
  readAllowance(world, about.instance % world.size, about.caller),
);

const advance = command(
  'advance',
  fc.record({ ms: fc.constantFrom(500, 4_900, 20_000, 61_000, 605_000) }),
  async ({ ms }, { world, history }) => {
    await history.settleReservations();
    world.advance(ms);
  },
);

const change = command('look-ups', fc.record({ manner: lookUpManner }), async ({ manner }, { world }) => {
  world.ledger.manner = manner;
});

const settle = command('settle', fc.constant({}), (_, { history }) => history.settle());

const crash = command('crash', fc.record({ instance }), async (about, { world, history }) => {
  history.isDisturbed = true;
  if (!world.remembers) history.hasForgotten = true;
  await world.crash(about.instance % world.size);
});

const disturb = command(
  'disturb the store',
  fc.record({ instance, how: fc.constantFrom('cut', 'freeze'), ms: fc.constantFrom(0, 20, 150), both: fc.boolean() }),
  async ({ instance: at, how, ms, both }, { world, history }) => {
    history.isDisturbed = true;
    const gates = (both ? [0, 1] : [at]).map((each) => world.storeGate(each % world.size));
    for (const gate of gates) gate?.[how === 'cut' ? 'cut' : 'freeze']();
    await pause(ms);
    for (const gate of gates) gate?.heal();
  },
  ({ world }) => world.storeGate(0) !== null,
);

const startOver = command(
  'the sponsor starts over',
  fc.constant({}),
  async (_, { world, history }) => {
    await history.settle();
    await world.sponsor.idle();
    world.sponsor.startOver();
    // A number from before the restart is worthless.
    history.leases.length = 0;
  },
  ({ world }) => world.isForward,
);

const emptyStore = command(
  'empty the store',
  fc.constant({}),
  async (_, { world, history }) => {
    history.isDisturbed = true;
    history.hasForgotten = true;
    await world.emptyStore();
  },
  ({ world }) => world.storeGate(0) !== null,
);

const often = (times: number, of: fc.Arbitrary<StepCommand>) => Array.from({ length: times }, () => of);

/** Any sequence of commands. */
export const courses = fc.commands(
  [
    ...often(5, reserve),
    ...often(9, execute),
    ...often(2, look),
    ...often(2, advance),
    lookAtBudget,
    change,
    settle,
    disturb,
    crash,
    startOver,
    emptyStore,
  ],
  { maxCommands: 16, size: '+1' },
);
