import type { IncomingMessage } from 'node:http';
import { type SponsorAnswer, textAnswer } from './sponsor-answer.ts';

/** 2 MB, the web framework's default, which the service leaves alone. */
const maxBodyBytes = 2 * 1024 * 1024;

export type JsonBody =
  | { readonly ok: true; readonly text: string; readonly value: unknown }
  | { readonly ok: false; readonly answer: SponsorAnswer };

/**
 * Reads the request's JSON. As in the service, refusals are the web framework's plain texts and come before the token
 * is checked: 415 without a JSON content type, 413 over 2 MB, 400 for what is not JSON.
 */
export async function readJsonBody(req: IncomingMessage): Promise<JsonBody> {
  if (!isJson(req.headers['content-type'])) {
    return refuse(415, 'Expected request with `Content-Type: application/json`');
  }
  const text = await readText(req);
  if (text === null) return refuse(413, 'Failed to buffer the request body: length limit exceeded');
  try {
    return { ok: true, text, value: JSON.parse(text) as unknown };
  } catch {
    return refuse(400, 'Failed to parse the request body as JSON');
  }
}

function isJson(contentType: string | undefined): boolean {
  const essence = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  return /^application\/(?:json|[^\s/]+\+json)$/.test(essence);
}

/** `null` once the body is over the limit; the rest is not kept. */
async function readText(req: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of req) {
    const bytes = chunk as Buffer;
    length += bytes.length;
    if (length <= maxBodyBytes) chunks.push(bytes);
    else chunks.length = 0;
  }
  return length > maxBodyBytes ? null : Buffer.concat(chunks).toString('utf8');
}

function refuse(status: number, text: string): JsonBody {
  return { ok: false, answer: textAnswer(status, text) };
}
