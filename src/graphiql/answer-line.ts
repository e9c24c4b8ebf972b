import { useGraphiQL } from '@graphiql/react';
import { useEffect, useSyncExternalStore } from 'react';

type Numbers = Readonly<Record<string, number>>;

/** The last answer of a tab, or a stream so far. */
export interface AnswerFacts {
  readonly status: number;
  readonly ms: number;
  /** Of the text, which is compressed on its way. */
  readonly bytes: number;
  /** Items of a stream; `null` if the answer is none. */
  readonly items: number | null;
  /** `extensions.usage` of the answer, or of the stream's last item. */
  readonly usage: Numbers | undefined;
}

const hint = 'Press Ctrl+Enter, or the ▶ button, to run the operation.';

let openTab = '';
const lines = new Map<string, string>();
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns a function that shows a line beneath the answers of the tab that is open now. */
export function lineOfOpenTab(): (line: string) => void {
  const tab = openTab;
  return (line) => {
    lines.set(tab, line);
    for (const listener of listeners) listener();
  };
}

/** What the answer in the open tab cost. */
export function AnswerLine() {
  const tab = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id ?? '');
  useEffect(() => {
    openTab = tab;
  }, [tab]);
  return useSyncExternalStore(subscribe, () => lines.get(tab) ?? hint);
}

/**
 * Like `HTTP 200 · 34 ms · 1.2 kB · output nodes 51 of 100,000 · depth 3 of 20`.
 * @param limits by the name of the usage
 */
export function toAnswerText({ status, ms, bytes, items, usage }: AnswerFacts, limits: Numbers): string {
  const used = Object.entries(limits).map(([name, limit]) => {
    const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    return `${words} ${(usage?.[name] ?? 0).toLocaleString('en')} of ${limit.toLocaleString('en')}`;
  });
  return [
    `HTTP ${status}`,
    ...(items === null ? [] : [items === 1 ? '1 item' : `${items.toLocaleString('en')} items`]),
    ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`,
    bytes < 1_000 ? `${bytes} bytes` : `${(bytes / 1_000).toLocaleString('en', { maximumFractionDigits: 1 })} kB`,
    ...(usage ? used : items === 0 ? [] : ['not measured, because the operation was refused']),
  ].join(' · ');
}
