import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { Devnet, DevnetOptions } from './start-devnet.ts';

export interface ServedDevnet extends Pick<Devnet, 'graphqlUrl' | 'sponsorUrl' | 'rpcUrl' | 'close'> {
  /** Resolves when the history is written. */
  readonly hasHistory: Promise<unknown>;
}

type Urls = Omit<ServedDevnet, 'close' | 'hasHistory'>;

/**
 * The simulated network in a thread of its own: it loads and writes its history while the gateway loads, and never blocks the
 * gateway's event loop. Needs the built program, because Node 20 runs no TypeScript.
 */
export function startDevnetThread(options: DevnetOptions): Promise<ServedDevnet> {
  const thread = new Worker(new URL(import.meta.url), { workerData: { devnet: options } });
  return new Promise((resolve, reject) => {
    // A later error of the thread has no listener and ends the process.
    thread.once('error', reject);
    thread.once('message', (urls: Urls) => {
      thread.off('error', reject);
      const close = async () => void (await thread.terminate());
      // Listen for the second message now: it may be in the queue already.
      resolve({ ...urls, hasHistory: once(thread, 'message'), close });
    });
  });
}

if (!isMainThread && workerData?.devnet) {
  const { startDevnet } = await import('./start-devnet.ts');
  const devnet = await startDevnet({ ...workerData.devnet, isHistoryDeferred: true });
  const { graphqlUrl, sponsorUrl, rpcUrl } = devnet;
  parentPort?.postMessage({ graphqlUrl, sponsorUrl, rpcUrl } satisfies Urls);
  await devnet.writeHistory();
  parentPort?.postMessage('history written');
}
