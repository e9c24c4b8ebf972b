/** What the garbage collector of one process did since it was last asked. */
export interface Collections {
  readonly scavenges: number;
  /** Of the whole heap. */
  readonly markCompacts: number;
  /** In which the process did nothing else. */
  readonly pauses: readonly Interval[];
}

/** From when to when, in milliseconds since 1970; processes of one machine agree on them. */
export type Interval = readonly [from: number, to: number];

/** By this signal a process is asked, and on this file it answers, as a line of JSON. */
export const collectionsSignal = 'SIGUSR2';
export const collectionsFile = 4;
