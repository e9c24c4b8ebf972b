const served =
  /^(?:\*\/\*|application\/(?:\*|json|graphql-response\+json)|text\/(?:\*|event-stream)|multipart\/(?:\*|mixed))$/;
/** More media types than any client names; what follows is not looked at. */
const maxMediaTypes = 32;

/**
 * The media types of an Accept header that can be served, once each; `null` when there are none. Decided before anything
 * runs: a mutation must not be executed for a caller who would not take its answer.
 */
export function toAcceptable(header: string | undefined): string | null {
  // What nearly all clients send.
  if (header === undefined || header === '*/*') return '*/*';
  if (header === 'application/json') return header;
  if (header.trim() === '') return '*/*';
  const asked = header.split(',', maxMediaTypes).map((each) => each.trim().toLowerCase());
  const acceptable = asked.filter(
    (each) => served.test(each.split(';')[0]?.trim() ?? '') && !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(each),
  );
  return acceptable.length === 0 ? null : [...new Set(acceptable)].join(', ');
}
