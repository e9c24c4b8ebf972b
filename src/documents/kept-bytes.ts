import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import type { DocumentSize } from './cost/measure-document.ts';
import type { ToldError } from './told-error.ts';

/*
 * Estimates the memory that kept documents take. The factors were measured on thousands of documents of each kind, the
 * heaviest among them, and a test compares them with the memory that is really used.
 */

/** For a valid document whose text is forwarded: its text, plain and as JSON, and its numbers, but no tree. An integer. */
export function forwardedBytes(
  text: string,
  json: string,
  { numbers, queryPayload }: DocumentSize,
  { variableDefinitions = [] }: OperationDefinitionNode,
): number {
  const bytesPerCharacter = text.length === queryPayload ? 1 : 2.5;
  const texts = Math.ceil((text.length + json.length) * bytesPerCharacter);
  return texts + numbers * 10 + variableDefinitions.length * 96 + 4_608;
}

/** For a valid document of which the gateway executes anything: also its tree, its parts and its compiled form. */
export function treeBytes({ tokenCount = 0, definitions }: DocumentNode, { inputNodes }: DocumentSize): number {
  return tokenCount * 250 + Math.min(inputNodes, tokenCount) * 600 + definitions.length * 4_096 + 4_096;
}

/** For a refused document: its text, its errors and its numbers. */
export function refusedBytes(text: string, errors: readonly ToldError[], numbers = 0): number {
  const told = errors.reduce((sum, { message }) => sum + message.length * 2 + 512, 0);
  return text.length * 2 + told + numbers * 10 + 1_024;
}
