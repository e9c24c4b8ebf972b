/** How one process takes part in the reading of a query. */
export type MemberState =
  /** It knows nothing yet, and looks whether another process reads. */
  | 'joining'
  /** Its timeline is filled from the entries of the leader alone, so that all processes deliver in the same order. */
  | 'following'
  /** It holds the lease, reads the upstream, and writes what it reads as entries. */
  | 'leading'
  /** It reads the upstream for itself, and writes nothing. */
  | 'alone';

export type MemberEvent =
  /** The timeline has everything up to the newest entry. */
  | 'inStep'
  /** No other process holds the lease. */
  | 'vacant'
  /** The lease was taken, and the log begins with an entry of this process. */
  | 'elected'
  /**
   * Entries are missing or unreadable, do not continue the timeline, or come too late; the lease is lost; or Redis does not
   * answer, or failed while it was written to.
   */
  | 'doubt';

export type MemberAct =
  /** Try to take the lease. */
  'lead' | 'startPolling' | 'stopPolling';

export interface MemberStep {
  readonly state: MemberState;
  readonly acts: readonly MemberAct[];
}

const to = (state: MemberState, ...acts: readonly MemberAct[]): MemberStep => ({ state, acts });

const following = to('following', 'stopPolling');
const leading = to('leading', 'startPolling');
const alone = to('alone', 'startPolling');

/**
 * Any doubt leads to `alone`: reading for itself costs upstream calls, and loses or repeats nothing. From there a process joins
 * again once it has read what the newest entry tells.
 */
const steps: Readonly<Record<MemberState, Readonly<Partial<Record<MemberEvent, MemberStep>>>>> = {
  joining: { inStep: following, vacant: to('joining', 'lead'), elected: leading, doubt: alone },
  following: { vacant: to('following', 'lead'), elected: leading, doubt: alone },
  leading: { doubt: alone },
  alone: { inStep: following, vacant: to('alone', 'lead'), elected: leading },
};

/** What an event changes. Events that a state does not list change nothing. */
export function nextMemberStep(state: MemberState, event: MemberEvent): MemberStep {
  return steps[state][event] ?? to(state);
}
