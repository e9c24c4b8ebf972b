import type { DocumentNode } from 'graphql';
import type { DocumentSize } from '../limits/measure-document.ts';

/**
 * Memory of a valid document with all that is made of it: its tree, tokens, plan, parts and compiled form. The factors were
 * measured on documents of 1 to 1,800 tokens, the heaviest of each kind.
 */
export function treeBytes({ tokenCount = 0, definitions }: DocumentNode, { inputNodes }: DocumentSize): number {
  return tokenCount * 360 + Math.min(inputNodes, tokenCount) * 600 + definitions.length * 4_096;
}

/**
 * Memory of a refused document: its text, its errors, and its numbers, a few hundred bytes for each page and spread. The
 * factor was measured on the heaviest case, a fragment spread every eight characters.
 */
export function refusedBytes(text: string): number {
  return text.length * 48 + 2_048;
}
