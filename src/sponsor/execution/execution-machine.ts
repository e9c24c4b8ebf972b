/** Where one execution stands. Each process has a machine for each execution that it takes part in. */
export type ExecutionState =
  /** Arguments and lease are good; nothing has been done. */
  | 'opened'
  /** The store is asked to set the fence. */
  | 'fencing'
  /** The same, but nobody waits any more: it will not be sent. */
  | 'withdrawn'
  /** The fence is set and the sponsor is asked. From here on nothing cuts it. */
  | 'dispatched'
  /** The sponsor takes long: the ledger is asked as well. */
  | 'doubted'
  /** The sponsor is asked, and nobody waits for what it says. */
  | 'unheard'
  /** The sponsor's answer is lost, or does not tell: the ledger is asked again and again. */
  | 'lookingUp'
  /** The same, but nobody waits any more: the ledger is asked now and then. */
  | 'swept'
  /** Another process executes it: the store is asked for its end. */
  | 'following'
  /** The same, and it takes long: the ledger is asked as well, by turns. */
  | 'suspecting'
  | 'ended';

export type ExecutionEvent =
  /** The transaction may be sent, as far as its bytes tell. */
  | 'checked'
  /** It is refused here: by what its bytes tell, or by what the store knows. */
  | 'declined'
  /** The store: it is this process that executes, and nobody else. */
  | 'begun'
  /** The same, and what the store keeps of the reservation shows that it must not be sent. */
  | 'barred'
  /** The store: it has ended, and this is the answer. */
  | 'replayed'
  /** The store: another process executes it. */
  | 'inProgress'
  /** The store: another process executes it, and should have heard of it by now. */
  | 'slow'
  /** The store: another process did, and should have ended it by now. */
  | 'overdue'
  /** The store: nobody executes it any more, for nothing was sent. */
  | 'gone'
  /** The store did not answer; the fence may be set. */
  | 'storeAway'
  /** The sponsor: it ran, well or not. */
  | 'executed'
  /** The sponsor: nothing ran, and nothing will. */
  | 'refused'
  /** Nothing has reached the sponsor, and nothing will. */
  | 'unsent'
  /** The sponsor's answer did not arrive, or does not tell. */
  | 'lost'
  /** The sponsor has not answered in good time. */
  | 'late'
  /** The ledger has the transaction. */
  | 'found'
  /** It does not have it, or cannot tell. */
  | 'missing'
  /** The last of those who waited has hung up, or is out of time. */
  | 'left'
  /** Somebody waits again. */
  | 'joined'
  /** It has been looked for long enough. */
  | 'givenUp';

export type ExecutionAct =
  | 'check'
  | 'fence'
  | 'dispatch'
  /** Ask the ledger, soon. */
  | 'look'
  /** Ask the ledger, now and then. */
  | 'sweep'
  /** Ask the store again, soon. */
  | 'follow'
  /** Write to the store that it ran, and what it used. */
  | 'settle'
  /** Write to the store that nothing ran. */
  | 'release'
  /** Write to the store that nothing was sent: the lease can still be executed. */
  | 'retract'
  /** Write to the store that nobody knows. */
  | 'suspend'
  /** Tell those who wait how it ended. */
  | 'tellOutcome'
  /** Tell them why nothing ran. */
  | 'tellRefusal'
  /** Tell them that it may or may not run. */
  | 'tellUnknown'
  /** Tell them that it was over before anything was sent. */
  | 'tellUnsent'
  /** Write to the log that it was never found. */
  | 'abandon';

export interface ExecutionStep {
  readonly state: ExecutionState;
  readonly acts: readonly ExecutionAct[];
}

type Steps = Readonly<Partial<Record<ExecutionEvent, ExecutionStep>>>;

const to = (state: ExecutionState, ...acts: readonly ExecutionAct[]): ExecutionStep => ({ state, acts });

const declined = to('ended', 'tellRefusal');
const replayed = to('ended', 'tellOutcome');
/** What ends an execution that was dispatched, whoever waits: the sponsor or the ledger is certain. */
const certain: Steps = {
  executed: to('ended', 'settle', 'tellOutcome'),
  found: to('ended', 'settle', 'tellOutcome'),
  refused: to('ended', 'release', 'tellRefusal'),
  unsent: to('ended', 'retract', 'tellRefusal'),
};

/** What a state does not list changes nothing: it comes too late, as the sponsor's answer after the ledger's, or not at all. */
const steps: Readonly<Record<ExecutionState, Steps>> = {
  opened: {
    checked: to('fencing', 'fence'),
    declined,
  },
  fencing: {
    begun: to('dispatched', 'dispatch'),
    barred: to('ended', 'retract', 'tellRefusal'),
    replayed,
    inProgress: to('following', 'follow'),
    slow: to('suspecting', 'look'),
    overdue: to('lookingUp', 'look'),
    declined,
    storeAway: to('ended', 'tellRefusal', 'retract'),
    left: to('withdrawn', 'tellUnsent'),
  },
  withdrawn: {
    begun: to('ended', 'retract'),
    replayed: to('ended'),
    inProgress: to('ended'),
    slow: to('ended'),
    overdue: to('swept', 'sweep'),
    declined: to('ended'),
    storeAway: to('ended', 'retract'),
    joined: to('fencing'),
  },
  dispatched: {
    ...certain,
    lost: to('lookingUp', 'look'),
    late: to('doubted', 'look'),
    left: to('unheard'),
  },
  doubted: {
    ...certain,
    lost: to('lookingUp', 'look'),
    missing: to('doubted', 'look'),
    left: to('unheard'),
  },
  unheard: {
    ...certain,
    lost: to('swept', 'suspend', 'tellUnknown', 'sweep'),
    joined: to('dispatched'),
  },
  lookingUp: {
    ...certain,
    missing: to('lookingUp', 'look'),
    left: to('swept', 'suspend', 'tellUnknown', 'sweep'),
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
    overdue: to('lookingUp', 'look'),
    gone: to('fencing', 'fence'),
    declined,
    left: to('ended', 'tellUnknown'),
  },
  suspecting: {
    found: to('ended', 'settle', 'tellOutcome'),
    missing: to('following', 'follow'),
    left: to('ended', 'tellUnknown'),
  },
  ended: {},
};

const none: readonly ExecutionAct[] = [];

/** The first thing that is done with an execution. */
export const firstStep: ExecutionStep = to('opened', 'check');

/** What an event does to an execution: its next state, and what is to be done. Pure. */
export function nextStep(state: ExecutionState, event: ExecutionEvent): ExecutionStep {
  return steps[state][event] ?? { state, acts: none };
}
