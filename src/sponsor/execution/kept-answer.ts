import { isErrorCode } from '../../errors/catalogue.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import type { ExecutionResult, KeptAnswers } from './execution-order.ts';

export interface KeptAnswersOptions<Effects> {
  readonly toJson: (effects: Effects) => unknown;
  readonly fromJson: (json: unknown) => Effects;
  /** Longer answers are kept without their effects. */
  readonly maxLength: number;
}

export function createKeptAnswers<Effects>(options: KeptAnswersOptions<Effects>): KeptAnswers<Effects> {
  const { toJson, fromJson, maxLength } = options;
  return {
    fromResult({ digest, outcome, effects }) {
      if (effects !== null) {
        const whole = JSON.stringify({ digest, outcome, effects: toJson(effects) });
        if (whole.length <= maxLength) return whole;
      }
      return JSON.stringify({ digest, outcome });
    },
    fromRefusal: ({ message, extensions }) => JSON.stringify({ message, extensions }),
    read(text) {
      const { digest, outcome, effects = null, message, extensions } = parseMembers(text);
      if (typeof message === 'string') {
        const { code, ...facts } = Object(extensions);
        return isErrorCode(code) ? { refusal: gatewayError(code, message, facts) } : null;
      }
      if (typeof digest !== 'string' || !isOutcome(outcome)) return null;
      return { result: { digest, outcome, effects: effects === null ? null : fromJson(effects) } };
    },
  };
}

function isOutcome(value: unknown): value is ExecutionResult<unknown>['outcome'] {
  return value === 'EXECUTED' || value === 'FAILED' || value === 'RECOVERED';
}

function parseMembers(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
