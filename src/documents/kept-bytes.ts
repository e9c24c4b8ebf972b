import type { DocumentNode } from 'graphql';
import type { DocumentSize } from '../limits/measure-document.ts';

/**
 * Memory that a valid document takes with everything made of it: its tree with the tokens it was read from, its plan, its
 * parts, its compiled form. Measured on documents of one to 1,800 tokens, the heaviest of each kind.
 */
export function treeBytes({ tokenCount = 0, definitions }: DocumentNode, { inputNodes }: DocumentSize): number {
  return tokenCount * 360 + Math.min(inputNodes, tokenCount) * 600 + definitions.length * 4_096;
}

/**
 * Memory that is left of a document that is refused: its text, what is told of it, and its numbers, which hold a few
 * hundred bytes for each page and each spread. Measured on the heaviest, fragments spread every eight characters.
 */
export function refusedBytes(text: string): number {
  return text.length * 48 + 2_048;
}
