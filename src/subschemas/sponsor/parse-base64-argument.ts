import { Buffer } from 'node:buffer';
import { badArgument } from './bad-argument.ts';

/**
 * Bytes in the one base64 spelling they have. Buffer's decoder forgives whitespace, missing padding, the URL alphabet and
 * stray bits; comparing with what it would write itself leaves none of that.
 * @throws `BAD_USER_INPUT`
 */
export function parseBase64Argument(argument: string, text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length > 0 && bytes.toString('base64') === text) return bytes;
  const rule =
    text === ''
      ? 'it must not be empty'
      : 'it must be canonical base64: standard alphabet, padded with "=", no whitespace, unused bits zero';
  throw badArgument(argument, text, rule);
}
