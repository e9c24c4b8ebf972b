import type { GraphQLError } from 'graphql';
import { isErrorCode } from '../../errors/catalogue.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import type { ExecutionResult } from './execution-order.ts';

/** Writes how an execution ended as text, for a repeat of it, and reads it again. */
export interface KeptAnswers<Effects> {
  fromResult(result: ExecutionResult<Effects>): string;
  fromRefusal(error: GraphQLError): string;
  /** `null` for a text that is of no form known here. */
  read(text: string): KeptAnswer<Effects> | null;
}

export type KeptAnswer<Effects> = { readonly result: ExecutionResult<Effects> } | { readonly refusal: GraphQLError };

export interface KeptAnswersOptions<Effects> {
  /** What of the effects is kept, as JSON has it. */
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
      const { digest, outcome, effects = null, message, extensions } = toMembers(text);
      if (typeof message === 'string') {
        const { code, ...facts } = toMembers(extensions);
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

/** @param value JSON text, or what it stood for; nothing for all that is no object */
function toMembers(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'string') {
    try {
      return toMembers(Object(JSON.parse(value)));
    } catch {
      return {};
    }
  }
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
