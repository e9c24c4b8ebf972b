const hint = 'Press Ctrl+Enter, or the ▶ button, to run the operation.';

let shown = hint;
const listeners = new Set<() => void>();

export function subscribeToUsage(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const usageText = () => shown;

/**
 * Shows how much of each limit the answered operation used, from `extensions.usage`.
 * @param limits by the name of the usage
 */
export function showUsage(answer: unknown, limits: Readonly<Record<string, number>>): void {
  const { usage } = Object(Object(answer).extensions);
  shown = usage ? toUsageText(usage, limits) : 'The operation was refused before its cost was measured.';
  for (const listener of listeners) listener();
}

/** Like `output nodes 51 of 100,000 · depth 3 of 20`. */
export function toUsageText(usage: Readonly<Record<string, number>>, limits: Readonly<Record<string, number>>): string {
  return Object.entries(limits)
    .map(([name, limit]) => {
      const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
      return `${words} ${(usage[name] ?? 0).toLocaleString('en')} of ${limit.toLocaleString('en')}`;
    })
    .join(' · ');
}
