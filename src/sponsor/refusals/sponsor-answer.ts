import { parseLosslessJson } from '../../json/lossless-json.ts';
import { isAnswerTooDeep } from '../../upstream/exceeds-nesting.ts';
import type { UpstreamResponse } from '../../upstream/upstream-call.ts';

/** What came back from the sponsor, read but not yet judged. */
export interface SponsorAnswer {
  readonly status: number;
  /** The JSON value, or `undefined` when the answer does not call itself JSON or is not. */
  readonly json: unknown;
  readonly text: string;
}

/**
 * The content type decides what is parsed as JSON, never the status: the sponsor's refusals are JSON envelopes, while its
 * web framework's (body not readable, wrong content type, body too large) are plain text under the same statuses.
 */
export function toSponsorAnswer({ status, headers, body }: UpstreamResponse): SponsorAnswer {
  const text = body.toString('utf8');
  return { status, text, json: isJsonContent(headers.get('content-type')) ? jsonOrUndefined(text) : undefined };
}

/** The text of `{ error }` or `{ result: null, error }`; `null` for any other answer. */
export function errorTextOf({ json }: SponsorAnswer): string | null {
  if (typeof json !== 'object' || json === null || !('error' in json)) return null;
  return typeof json.error === 'string' && json.error !== '' ? json.error : null;
}

/** Does it carry effects or a result, in whichever form and under whichever status? Then it is no refusal. */
export function hasResult({ json }: SponsorAnswer): boolean {
  if (typeof json !== 'object' || json === null) return false;
  const { effects = null, result = null } = json as { readonly effects?: unknown; readonly result?: unknown };
  return effects !== null || result !== null;
}

/** A plain-text answer that may be a sentence of the sponsor; `null` for JSON objects, HTML pages and long texts. */
export function sentenceOf(answer: SponsorAnswer): string | null {
  const word = wordOf(answer);
  return word.length <= 500 && !/^[{[<]/.test(word) ? word : null;
}

/** `OK` and versions come as a JSON string or as bare text, whatever the content type says: builds of the sponsor differ. */
export function wordOf({ json, text }: SponsorAnswer): string {
  const value = typeof json === 'string' ? json : text;
  return value.trim().replace(/^"(.*)"$/s, '$1');
}

export function isSuccess({ status }: SponsorAnswer): boolean {
  return status >= 200 && status < 300;
}

function isJsonContent(contentType: string | string[] | undefined): boolean {
  return contentType === undefined || /\bjson\b/i.test(String(contentType));
}

function jsonOrUndefined(text: string): unknown {
  try {
    const json = parseLosslessJson(text);
    return isAnswerTooDeep(json, text.length) ? undefined : json;
  } catch {
    return undefined;
  }
}
