/** One way of following events. */
export interface LiveScenario {
  readonly id: 'floor' | 'sockets' | 'operations' | 'sse' | 'filters' | 'frozen' | 'resume';
  readonly title: string;
  readonly over: 'socket' | 'sse';
  /** Subscriptions on each connection. */
  readonly operations: number;
  /** How many follow, in place of all subscribers. */
  readonly count?: 'filters' | 'tenth';
  /** Each follows a filter of its own. */
  readonly isDistinct?: boolean;
  /** Of a hundred connections so many read nothing after their subscription. */
  readonly frozenPercent?: number;
  /** All go on from one old cursor. */
  readonly isResuming?: boolean;
}

export const liveScenarios: readonly LiveScenario[] = [
  { id: 'floor', title: 'a bare ws server, one frame for all', over: 'socket', operations: 1 },
  { id: 'sockets', title: 'one filter, each on a WebSocket of its own', over: 'socket', operations: 1 },
  { id: 'operations', title: 'one filter, 100 on each WebSocket', over: 'socket', operations: 100 },
  { id: 'sse', title: 'one filter, as event streams', over: 'sse', operations: 1 },
  { id: 'filters', title: 'distinct filters', over: 'socket', operations: 1, count: 'filters', isDistinct: true },
  { id: 'frozen', title: 'one filter, 5 % read nothing', over: 'socket', operations: 1, frozenPercent: 5 },
  {
    id: 'resume',
    title: 'one filter, a tenth of them, all from one old cursor',
    over: 'socket',
    operations: 1,
    count: 'tenth',
    isResuming: true,
  },
];
