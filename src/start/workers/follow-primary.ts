import type { MetricValues } from '../../telemetry/metrics.ts';
import type { Siblings } from '../siblings.ts';
import type { ReloadedLists } from '../watch-lists.ts';
import { deferred } from './deferred.ts';
import type { Beginning, FromWorker, ToWorker } from './worker-messages.ts';

/** A worker's channel to its primary. */
export interface PrimaryLink {
  /** Resolves when the message was sent, or the primary is gone. */
  readonly send: (message: FromWorker) => Promise<void>;
  readonly onMessage: (hear: (message: ToWorker) => void) => void;
}

export type PrimaryCommands = ReturnType<typeof followPrimary>;

/** Reports to the primary, and obeys the primary's messages from then on. */
export function followPrimary({ send, onMessage }: PrimaryLink) {
  const beginning = deferred<Beginning>();
  const stop = deferred<number>();
  let serving = 0;
  let isReplaced = false;
  let checkSchema = () => {};
  let lists: ReloadedLists = {};
  let adopt = (_lists: ReloadedLists) => {};
  let readMetrics: (() => MetricValues) | null = null;
  let pages: ((page: string) => void)[] = [];
  let heartbeat: NodeJS.Timeout | undefined;
  onMessage((message) => {
    if (message.kind === 'begin') {
      beginning.resolve(message.beginning);
      heartbeat = setInterval(
        () => void send({ kind: 'alive', metrics: readMetrics?.() ?? null }),
        message.beginning.heartbeatMs,
      ).unref();
    } else if (message.kind === 'serving') serving = message.count;
    else if (message.kind === 'check schema') checkSchema();
    else if (message.kind === 'lists') {
      lists = { ...lists, ...message.lists };
      adopt(message.lists);
    } else if (message.kind === 'metrics page') {
      const waiting = pages;
      pages = [];
      for (const resolve of waiting) resolve(message.page);
    } else if (message.kind === 'stop') {
      clearInterval(heartbeat);
      isReplaced = message.isReplaced ?? false;
      stop.resolve(message.drainMs);
    }
  });
  void send({ kind: 'hello' });
  return {
    /** Resolves with everything that the worker needs to start. */
    beginning: beginning.promise,
    /** Resolves when the worker must stop, with the milliseconds for which it keeps serving. */
    stop: stop.promise,
    /** The other workers, as this one sees them. */
    siblingsOf: ({ shared }: Beginning): Siblings => ({
      shared,
      serving: () => serving,
      isReplaced: () => isReplaced,
      ready: (facts) => void send({ kind: 'ready', facts }),
      schemaReplaced: (schema) => void send({ kind: 'schema replaced', schema }),
      onSchemaCheck: (call) => {
        checkSchema = call;
      },
      onMetrics: (read) => {
        readMetrics = read;
      },
      metricsPage: () =>
        new Promise((resolve) => {
          pages.push(resolve);
          if (pages.length === 1) void send({ kind: 'metrics requested' });
        }),
      onLists: (call) => {
        adopt = call;
        // These messages arrived while this worker was starting.
        call(lists);
      },
    }),
  };
}
