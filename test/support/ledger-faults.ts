import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { GraphQLErrorExtensions } from 'graphql';

/** The ledger's actual response, parsed. */
export interface LedgerAnswer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly WireError[];
}

export interface WireError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** Where a field may fail. Equal for two documents that request the same data in different ways. */
export interface FieldPlace {
  /** `Type.field` */
  readonly coordinate: string;
  /** Coordinate, arguments and list indexes above it. */
  readonly identity: string;
  /** Is the field at the root, with no parent that could become null? */
  readonly isNonNullRoot: boolean;
}

/** What happens to a response on its way to the gateway. */
export type LedgerFault =
  /** Fields fail as if the ledger had executed the document: nulls, paths and locations are those of a real server. */
  | { readonly kind: 'fields'; readonly failing: (place: FieldPlace) => FieldFailure | undefined }
  /** Another response text. */
  | { readonly kind: 'text'; readonly rewrite: (answer: LedgerAnswer) => string }
  /** No valid HTTP response at all. */
  | { readonly kind: 'http'; readonly respond: (res: ServerResponse, text: string) => void };

export interface FieldFailure {
  readonly message: string;
  readonly extensions?: GraphQLErrorExtensions;
}

const json = { 'content-type': 'application/json' };
const sized = (text: string | Buffer) => ({ 'content-length': Buffer.byteLength(text) });
const text = (rewrite: (answer: LedgerAnswer) => unknown): LedgerFault => ({
  kind: 'text',
  rewrite: (answer) => JSON.stringify(rewrite(answer)),
});
const http = (status: number, headers: Record<string, string>, body: string | Buffer): LedgerFault => ({
  kind: 'http',
  respond: (res) => void res.writeHead(status, { ...headers, ...sized(body) }).end(body),
});
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

/** Responses that break the ledger's contract, or add to it. The same for every document. */
export const wholeAnswerFaults: Readonly<Record<string, LedgerFault>> = {
  'HTTP 500 in plain text': http(500, { 'content-type': 'text/plain' }, 'Internal Server Error'),
  'HTTP 503 that looks like data': http(503, json, '{"data":{"chainIdentifier":"no"}}'),
  'HTTP 429': http(429, { 'content-type': 'text/plain', 'retry-after': '7' }, 'Too Many Requests'),
  'HTTP 404 in HTML': http(404, { 'content-type': 'text/html' }, '<html>nginx</html>'),
  'HTTP 400 with errors': http(400, json, '{"errors":[{"message":"no such field"}]}'),
  'HTML with 200': http(200, { 'content-type': 'text/html' }, '<html><body>maintenance }}</body></html>'),
  'an empty body': http(200, json, ''),
  'a JSON text': http(200, json, '"fine"'),
  'data that are null and no errors': http(200, json, '{"data":null}'),
  'errors that are no list': http(200, json, '{"data":null,"errors":{"message":"odd"}}'),
  'an error without a message': http(200, json, '{"data":null,"errors":[{"path":["x"]}]}'),
  'one error and no data': http(
    200,
    json,
    '{"errors":[{"message":"the ledger is reindexing","extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}',
  ),
  'an error of every kind and no data': http(
    200,
    json,
    '{"data":null,"errors":[{"message":"one","extensions":{"code":"ONE","http":{"status":418}}},{"message":"two","locations":[{"line":1,"column":1}]}]}',
  ),
  'half of JSON, its length right': {
    kind: 'http',
    respond: (res, whole) => {
      const half = whole.slice(0, whole.length >> 1);
      res.writeHead(200, { ...json, ...sized(half) }).end(half);
    },
  },
  'a connection cut in the middle': {
    kind: 'http',
    respond: (res, whole) => {
      res.writeHead(200, { ...json, ...sized(whole) });
      res.write(whole.slice(0, whole.length >> 1), () => res.destroy());
    },
  },
  'a connection cut between chunks': {
    kind: 'http',
    respond: (res, whole) => {
      res.writeHead(200, json);
      res.write(whole, () => res.destroy());
    },
  },
  'a connection cut at once': { kind: 'http', respond: (res) => void res.destroy() },
  'gzip nobody asked for': {
    kind: 'http',
    respond: (res, whole) => {
      const packed = gzipSync(whole);
      res.writeHead(200, { ...json, ...sized(packed), 'content-encoding': 'gzip' }).end(packed);
    },
  },
};

/** Responses that are unusual but correct. */
export const harmlessFaults: Readonly<Record<string, LedgerFault>> = {
  'printed for people': { kind: 'text', rewrite: (answer) => JSON.stringify(answer, null, 2) },
  'a blank line before and after': { kind: 'text', rewrite: (answer) => `\n \t${JSON.stringify(answer)}\r\n ` },
  'errors first and data last': text(({ data, errors }) => (errors ? { errors, data } : { data })),
  'an empty list of errors': text(({ data, errors }) => ({ data, errors: errors ?? [] })),
  'errors that are null': text(({ data, errors }) => ({ data, errors: errors ?? null })),
  'extensions of its own': text((answer) => ({
    ...answer,
    extensions: { usage: { inputNodes: 1 }, tracing: { version: 1 } },
  })),
  'extensions of its own, first': text((answer) => ({ extensions: { usage: { inputNodes: 1 } }, ...answer })),
  'extensions without a bottom': {
    kind: 'text',
    rewrite: (answer) => `{"extensions":${nested(20_000)},${JSON.stringify(answer).slice(1)}`,
  },
  'extensions without a bottom, last': {
    kind: 'text',
    rewrite: (answer) => `${JSON.stringify(answer).slice(0, -1)},"more":${nested(20_000)}}`,
  },
  'another content type': {
    kind: 'http',
    respond: (res, whole) => void res.writeHead(200, { 'content-type': 'text/plain', ...sized(whole) }).end(whole),
  },
  'no content type': { kind: 'http', respond: (res, whole) => void res.writeHead(200, sized(whole)).end(whole) },
  'in chunks of one byte': {
    kind: 'http',
    respond: (res, whole) => {
      res.writeHead(200, json);
      for (const character of whole.slice(0, 64)) res.write(character);
      res.end(whole.slice(64));
    },
  },
};

/** `extensions` of a field's error. */
const extensionsOfFailures: readonly (GraphQLErrorExtensions | undefined)[] = [
  undefined,
  { code: 'BAD_USER_INPUT' },
  { code: 'INTERNAL_SERVER_ERROR' },
  { code: 'LEDGER_SAYS', http: { status: 503, headers: { 'x-leak': '1' } }, debug: { at: 'resolver' } },
  { http: { status: 401 }, reasons: ['one', { two: 2 }] },
];

/** Makes about one field in this many fail. The seed decides which, and with what error. */
export function failingFields(seed: number, oneIn: number): LedgerFault {
  return {
    kind: 'fields',
    failing: ({ coordinate, identity }) => {
      const chance = hash(`${seed} ${identity}`);
      if (chance % oneIn !== 0) return undefined;
      const extensions = extensionsOfFailures[(chance >>> 16) % extensionsOfFailures.length];
      return { message: `fault ${seed} at ${coordinate}`, ...(extensions && { extensions }) };
    },
  };
}

/** Makes the non-null root fields fail, so that `data` becomes null. */
export const failingNonNullRoots: LedgerFault = {
  kind: 'fields',
  failing: ({ coordinate, isNonNullRoot }) =>
    isNonNullRoot ? { message: `no ${coordinate}`, extensions: { code: 'LEDGER_SAYS' } } : undefined,
};

/** Makes epochs fail, with an error that has only a message. */
export const failingEpochs: LedgerFault = {
  kind: 'fields',
  failing: ({ coordinate }) => (coordinate === 'Epoch.epochId' ? { message: 'no such epoch' } : undefined),
};

/** Adds an error without a path. */
export const errorWithoutPath: LedgerFault = text(({ data, errors = [] }) => ({
  data,
  errors: [...errors, { message: 'half of the indexer is away', extensions: { code: 'LEDGER_SAYS' } }],
}));

/** Appends an unknown member after the errors, so that the response does not end with them. */
export const errorsAmongOthers: LedgerFault = text((answer) =>
  answer.errors ? { ...answer, more: { of: { what: {} } } } : answer,
);

/** Makes a response longer than the gateway buffers before it forwards the first bytes. */
export const longAnswer: LedgerFault = {
  kind: 'text',
  rewrite: (answer) => JSON.stringify(answer).replace('"data":{', `"data":{${' '.repeat(1_500_000)}`),
};

/** Nests lists where the response has a JSON scalar: deep, but valid for its type. */
export const deepValues: LedgerFault = {
  kind: 'text',
  rewrite: (answer) => JSON.stringify(answer).replace(/"json":\{[^{}]*\}/g, `"json":${nested(1_000)}`),
};

/** FNV-1a */
function hash(value: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < value.length; index += 1) {
    state = Math.imul(state ^ value.charCodeAt(index), 0x01000193);
  }
  state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d);
  return (state ^ (state >>> 13)) >>> 0;
}
