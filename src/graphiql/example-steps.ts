/** The fields that the example tabs Reserve and Sign select. */
const steps = { Reserve: 'reserveGas', Sign: 'devnetSignTransaction' } as const;

type Step = keyof typeof steps;
type Answer = Readonly<Record<string, unknown>>;

const answers = new Map<Step, Answer>();

/** Keeps the answers of the steps that later tabs continue from. */
export function keepAnswer(answer: unknown): void {
  const { data } = Object(answer);
  for (const [step, field] of Object.entries(steps)) {
    const value = Object(data)[field];
    if (value) answers.set(step as Step, value);
  }
}

/**
 * Replaces variables such as `(from Reserve)` by the answer of that step, so that the steps of a sponsored transaction run
 * one after the other as they are.
 */
export function fillIn(variables: unknown): unknown {
  if (typeof variables !== 'object' || variables === null) return variables;
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, fillInValue(name, value)]));
}

function fillInValue(name: string, value: unknown): unknown {
  const text = Array.isArray(value) ? Object(value[0]).objectId : value;
  const [, step] = typeof text === 'string' ? (/^\(from (\w+)\)$/.exec(text) ?? []) : [];
  const answer = answers.get(step as Step);
  if (!answer || !(name in answer)) return value;
  if (name !== 'gasCoins') return answer[name];
  const coins = answer.gasCoins as readonly Answer[];
  return coins.map(({ objectId, version, digest }) => ({ objectId, version, digest }));
}
