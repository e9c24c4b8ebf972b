/** State of an execution. Each process that takes part in an execution has its own state. */
export type ExecutionState =
  /** Arguments and lease are valid; nothing has been done. */
  | 'opened'
  /** The store is setting the fence. */
  | 'fencing'
  /** The store is setting the fence, and no client waits: the transaction will not be sent. */
  | 'withdrawn'
  /** The fence is set and the sponsor has been called. Nothing cancels it from here on. */
  | 'dispatched'
  /** The sponsor is slow: the ledger is queried as well. */
  | 'doubted'
  /** The sponsor has been called, and no client waits. */
  | 'unawaited'
  /** The sponsor's response is lost or inconclusive: the ledger is queried repeatedly. */
  | 'lookingUp'
  /** As `lookingUp`, but no client waits: the ledger is queried rarely. */
  | 'swept'
  /** Another process executes it: the store is polled for the result. */
  | 'following'
  /** As `following`, but that process is slow or dead, or the store is unavailable: store and ledger are polled in turn. */
  | 'suspecting'
  | 'ended';

export type ExecutionEvent =
  /** The transaction passed the checks before the fence. */
  | 'checked'
  /** The transaction is rejected, by those checks or by the store. */
  | 'declined'
  /** Store: this process executes it, and no other. */
  | 'begun'
  /** As `begun`, but the stored reservation shows that it must not be sent. */
  | 'barred'
  /** Store: it has ended; here is the result. */
  | 'replayed'
  /** Store: another process executes it. */
  | 'inProgress'
  /** Store: another process executes it, and is slow or has exceeded its time. Or the store no longer answers. */
  | 'slow'
  /** Store: the other process sent nothing. */
  | 'gone'
  /** The store did not answer; the fence may be set. */
  | 'storeAway'
  /** Sponsor: the transaction ran, successfully or not. */
  | 'executed'
  /** Sponsor: the transaction did not run and will not. */
  | 'refused'
  /** The request has not reached the sponsor, and will not; or the sponsor kept the reservation. */
  | 'unsent'
  /** The sponsor's response did not arrive, or is inconclusive. */
  | 'lost'
  /** The sponsor has exceeded its usual time. */
  | 'late'
  /** The ledger has the transaction. */
  | 'found'
  /** The ledger does not have it, or did not answer. */
  | 'missing'
  /** The last waiting client hung up or timed out. */
  | 'left'
  /** A client waits again. */
  | 'joined'
  /** The lookup time is over. */
  | 'givenUp';

export type ExecutionAct =
  | 'check'
  | 'fence'
  | 'dispatch'
  /** Query the ledger soon. */
  | 'look'
  /** Query the ledger later. */
  | 'sweep'
  /** Query the store again soon. */
  | 'follow'
  /** Store that the transaction ran, and the gas that it used. */
  | 'settle'
  /** Store that nothing ran. */
  | 'release'
  /** Store that nothing was sent: the lease can still be executed. */
  | 'retract'
  /** Store that the outcome is unknown. */
  | 'suspend'
  /** Answer the waiting calls with the result. */
  | 'answerOutcome'
  /** Answer the waiting calls with the reason why nothing ran. */
  | 'answerRefusal'
  /** Answer the waiting calls that the transaction may or may not run. */
  | 'answerUnknown'
  /** Answer the waiting calls that nothing was sent. */
  | 'answerUnsent'
  /** Log that the transaction was never found. */
  | 'abandon';

export interface ExecutionStep {
  readonly state: ExecutionState;
  readonly acts: readonly ExecutionAct[];
}

type Steps = Readonly<Partial<Record<ExecutionEvent, ExecutionStep>>>;

const to = (state: ExecutionState, ...acts: readonly ExecutionAct[]): ExecutionStep => ({ state, acts });

const declined = to('ended', 'answerRefusal');
const replayed = to('ended', 'answerOutcome');
/** Certain outcomes, which end an execution in every state after its dispatch. */
const certain: Steps = {
  executed: to('ended', 'settle', 'answerOutcome'),
  found: to('ended', 'settle', 'answerOutcome'),
  refused: to('ended', 'release', 'answerRefusal'),
  unsent: to('ended', 'retract', 'answerRefusal'),
};

/**
 * Events that a state does not list are ignored because they come too late, such as the sponsor's response after the ledger's.
 */
const steps: Readonly<Record<ExecutionState, Steps>> = {
  opened: {
    checked: to('fencing', 'fence'),
    declined,
    // The transaction does not pass the checks, but was sent before they changed.
    replayed,
    inProgress: to('following', 'follow'),
    slow: to('suspecting', 'look'),
  },
  fencing: {
    begun: to('dispatched', 'dispatch'),
    barred: to('ended', 'retract', 'answerRefusal'),
    replayed,
    inProgress: to('following', 'follow'),
    slow: to('suspecting', 'look'),
    declined,
    storeAway: to('ended', 'answerRefusal', 'retract'),
    left: to('withdrawn', 'answerUnsent'),
  },
  withdrawn: {
    begun: to('ended', 'retract'),
    replayed: to('ended'),
    inProgress: to('ended'),
    slow: to('ended'),
    declined: to('ended'),
    storeAway: to('ended', 'retract'),
    joined: to('fencing'),
  },
  dispatched: {
    ...certain,
    lost: to('lookingUp', 'look'),
    late: to('doubted', 'look'),
    left: to('unawaited'),
  },
  doubted: {
    ...certain,
    lost: to('lookingUp', 'look'),
    missing: to('doubted', 'look'),
    left: to('unawaited'),
  },
  unawaited: {
    ...certain,
    lost: to('swept', 'suspend', 'answerUnknown', 'sweep'),
    joined: to('dispatched'),
  },
  lookingUp: {
    ...certain,
    missing: to('lookingUp', 'look'),
    left: to('swept', 'suspend', 'answerUnknown', 'sweep'),
  },
  swept: {
    ...certain,
    missing: to('swept', 'sweep'),
    joined: to('lookingUp', 'look'),
    givenUp: to('ended', 'abandon'),
  },
  following: {
    replayed,
    inProgress: to('following', 'follow'),
    slow: to('suspecting', 'look'),
    gone: to('fencing', 'fence'),
    declined,
    left: to('ended', 'answerUnknown'),
  },
  suspecting: {
    found: to('ended', 'settle', 'answerOutcome'),
    missing: to('following', 'follow'),
    left: to('ended', 'answerUnknown'),
  },
  ended: {},
};

const none: readonly ExecutionAct[] = [];

export const firstStep: ExecutionStep = to('opened', 'check');

/** The next state of an execution after an event, and what to do. Pure. */
export function nextStep(state: ExecutionState, event: ExecutionEvent): ExecutionStep {
  return steps[state][event] ?? { state, acts: none };
}
