import { setTimeout as pause } from 'node:timers/promises';
import { type NetworkFault, networkFaults, openFaultProxy } from '../../support/fault-proxy.ts';
import type { LiveOrder, LiveReport } from '../live/live-orders.ts';
import type { Child, Children } from '../load/child-processes.ts';

const faultSeconds = 8;
const pauseSeconds = 10;
const eventEveryMs = 1_000;
/**
 * Responses of 80 MiB on every connection fill the memory for responses that arrive. The allocator keeps most of it for the next
 * ones: 180 MiB after the first flood, 240 MiB after several. A run of 30 minutes has four floods, so more come before it.
 */
const floods = 6;
const floodMs = 2_000;
/** How long `flood` takes, in milliseconds. */
export const floodingMs = floods * 2 * floodMs;

/** The proxy duplicates and swaps chunks, which is a fault only of whole messages; TLS and DNS fail only before a connection. */
const leftOut: readonly NetworkFault[] = ['duplicate answer', 'out of order', 'TLS failure', 'DNS failure'];
const faults = networkFaults.filter((fault) => !leftOut.includes(fault));
const upstreamNames = ['ledger', 'sponsor', 'events'] as const;

/** Every fault of every upstream has occurred once after this time. V8's heap takes two rounds to reach its size. */
export const roundSeconds = faults.length * upstreamNames.length * (faultSeconds + pauseSeconds);

/** Upstreams that fail in turns, and streams of events that must arrive all the same, each once and in order. */
export interface SoakFaults {
  /** Addresses and timeouts for the gateway. */
  readonly env: Readonly<Record<string, string>>;
  /** Makes the ledger's responses too large, several times. */
  flood(): Promise<void>;
  /** Opens the live streams that run while upstreams fail. */
  open(gatewayUrl: string): Promise<void>;
  /** The upstream that fails in the next seconds. @param atSeconds since the first call */
  turn(atSeconds: number): { readonly faulty: string | null; apply(): void };
  /** Ends the fault and the streams, after all events have arrived. @returns the first error of a stream, or `null` */
  close(): Promise<string | null>;
  /** Faults so far, and events that each stream has got. */
  count(): { readonly faults: number; readonly events: number };
}

/** @param upstream ledger and sponsor @param events the node with the events */
export async function openSoakFaults(children: Children, upstream: Child): Promise<SoakFaults> {
  const ours = (name: string) => new URL(`../processes/${name}.js`, import.meta.url);
  const node = await children.fork('events', ours('live-upstream'), []);
  const portOf = ({ url }: Child) => Number(new URL(url).port);
  const proxies = {
    ledger: await openFaultProxy(portOf(upstream)),
    sponsor: await openFaultProxy(portOf(upstream)),
    events: await openFaultProxy(portOf(node)),
  };
  const urlOf = (name: keyof typeof proxies) => `http://127.0.0.1:${proxies[name].port}`;
  const readers: Child[] = [];
  const ask = (child: Child, order: LiveOrder) => child.ask(order) as unknown as Promise<LiveReport>;
  let told = 0;
  let begun = 0;
  let current = -1;
  let timer: NodeJS.Timeout | undefined;
  const heal = () => {
    for (const proxy of Object.values(proxies)) proxy.heal();
  };

  return {
    env: {
      LEDGER_GRAPHQL_URL: `${urlOf('ledger')}/graphql`,
      SPONSOR_URL: urlOf('sponsor'),
      LEDGER_RPC_URL: urlOf('events'),
      REQUEST_TIMEOUT_MS: '5000',
      MUTATION_TIMEOUT_MS: '5000',
    },
    async flood() {
      for (let number = 0; number < floods; number += 1) {
        proxies.ledger.begin('oversize');
        await pause(floodMs);
        heal();
        await pause(floodMs);
      }
    },
    async open(gatewayUrl) {
      for (const over of ['socket', 'sse'] as const) {
        const reader = await children.fork(`reader over ${over}`, ours('live-client'), [`${gatewayUrl}/graphql`]);
        const streams = { connections: 4, operations: 1, firstSender: null, frozen: 0, after: null };
        await ask(reader, { kind: 'open', over, ...streams });
        readers.push(reader);
      }
      timer = setInterval(() => {
        told += 1;
        void node.ask({ kind: 'tell', senders: 1 });
      }, eventEveryMs);
    },
    turn(atSeconds) {
      const number = Math.floor(atSeconds / (faultSeconds + pauseSeconds));
      const isOn = atSeconds % (faultSeconds + pauseSeconds) >= pauseSeconds;
      const name = upstreamNames[number % upstreamNames.length] as keyof typeof proxies;
      const fault = faults[Math.floor(number / upstreamNames.length) % faults.length] as NetworkFault;
      if (!isOn) heal();
      return {
        faulty: isOn ? name : null,
        apply() {
          if (!isOn || number === current) return;
          current = number;
          begun += 1;
          proxies[name].begin(fault);
        },
      };
    },
    async close() {
      heal();
      clearInterval(timer);
      const deadline = performance.now() + 30_000;
      for (;;) {
        const reports = await Promise.all(readers.map((reader) => ask(reader, { kind: 'report' })));
        const broken = reports.find(({ fault }) => fault !== null)?.fault ?? null;
        const least = Math.min(...reports.map((report) => report.least));
        if (broken === null && least < told && performance.now() < deadline) {
          await pause(200);
          continue;
        }
        for (const { pid } of readers) process.kill(pid);
        return broken ?? (least < told ? `a stream ended at event ${least} of ${told}` : null);
      }
    },
    count: () => ({ faults: begun, events: told }),
  };
}
