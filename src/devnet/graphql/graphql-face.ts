import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GraphQLError } from 'graphql';
import type { DevnetFace } from '../faces.ts';
import type { Ledger } from '../state/ledger-state.ts';
import { createDocumentCache } from './documents/document-cache.ts';
import { checkBodySize } from './documents/payload-refusal.ts';
import type { PayloadRule } from './documents/prepared-document.ts';
import { executeRequest, type RequestOutcome } from './execute-request.ts';
import type { DevnetSigner, GraphqlContext } from './graphql-context.ts';
import { defaultGraphqlLimits, type GraphqlLimits, type LedgerFeature, type ServedFeature } from './graphql-limits.ts';
import { parseRequest } from './http/parse-request.ts';
import { readBody } from './http/read-body.ts';
import { toResponseText } from './http/to-response-text.ts';
import { createLedgerSchema } from './ledger-schema.ts';
import type { FindStruct } from './moves/type-layout.ts';
import type { NetworkNames } from './network-names.ts';
import { checkRpcVersion } from './rpc-version.ts';

export interface LedgerHeaders {
  readonly version: string;
  readonly showUsage: string;
}

export interface GraphqlFaceOptions {
  readonly ledger: Ledger;
  /** Signs for `devnetSignTransaction`. */
  readonly signer: DevnetSigner;
  /** Structs of packages, for their layouts and abilities. Default: those of the framework alone. */
  readonly findStruct?: FindStruct;
  /** Bounds and page sizes that differ from the defaults. */
  readonly limits?: Partial<GraphqlLimits>;
  /**
   * What the query's allowance counts: the query text (default), or the whole body less its transaction, in which case a
   * request without `content-length` is refused.
   */
  readonly payloadRule?: PayloadRule;
  /** Groups of fields served. Default: coins and dynamic fields. */
  readonly features?: readonly ServedFeature[];
  /** Names of the version and show-usage headers, lower case. Default: the contract's. */
  readonly headers?: LedgerHeaders;
  /** Names of the schema. Default: the contract's. */
  readonly names?: NetworkNames | null;
  /** Milliseconds from any origin, to time execution with. Default: `performance.now`. */
  readonly now?: () => number;
  /** Bodies above this are refused with 413. Bytes, default 1 MiB. */
  readonly maxBodyBytes?: number;
}

/**
 * The ledger's GraphQL face: POST on `/` and `/<version>`. Every outcome of GraphQL is HTTP 200 and carries the build's
 * version; a body that is not a request is 400 in plain text, a version not served 400 or 421.
 */
export function createGraphqlFace({
  ledger,
  signer,
  findStruct = () => undefined,
  limits: overrides,
  features: served = ['COINS', 'DYNAMIC_FIELDS'],
  payloadRule = 'query',
  headers = { version: 'x-ledger-rpc-version', showUsage: 'x-ledger-rpc-show-usage' },
  names = null,
  now = () => performance.now(),
  maxBodyBytes = 1024 * 1024,
}: GraphqlFaceOptions): DevnetFace {
  const limits = { ...defaultGraphqlLimits, ...overrides };
  const features: ReadonlySet<LedgerFeature> = new Set(served);
  const schema = createLedgerSchema(names);
  const prepare = createDocumentCache({ schema, limits, features, payloadRule });

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (payloadRule === 'body') {
      const declared = req.headers['content-length'];
      if (declared === undefined) return respond(res, 400, 'Header of type `content-length` was missing');
      const refusal = checkBodySize(Number(declared), limits);
      if (refusal) return respondRefusal(res, 200, refusal);
    }
    const body = await readBody(req, maxBodyBytes);
    if (body === undefined) return respond(res, 413, `Request is over ${maxBodyBytes} bytes`, { connection: 'close' });
    const request = parseRequest(body);
    if (typeof request === 'string') return respond(res, 400, request);
    let viewedAt: number | undefined;
    const context: GraphqlContext = {
      ledger,
      limits,
      features,
      payloadRule,
      signer,
      findStruct,
      now,
      // Read when needed: introspection needs no history.
      get viewedAt() {
        viewedAt ??= ledger.latestCheckpoint().sequenceNumber;
        return viewedAt;
      },
    };
    const outcome = await executeRequest(prepare(request.query), request, schema, context);
    // The header's presence is enough, with any value: `false`, `0` and an empty one too.
    const showsUsage = req.headers[headers.showUsage] !== undefined;
    respondGraphql(res, 200, showsUsage ? outcome : { ...outcome, usage: undefined });
  }

  return {
    async handle(req, res) {
      const [path = '/'] = (req.url ?? '/').split('?');
      const segments = path.split('/').filter((segment) => segment !== '');
      if (segments.length > 1) return respond(res, 404, 'Not found');
      res.setHeader(headers.version, ledger.buildVersion);
      if (req.method !== 'POST') return respond(res, 405, 'Only POST is allowed', { allow: 'POST' });
      const [version] = segments;
      const refusal = version === undefined ? undefined : checkRpcVersion(decodeVersion(version), ledger.buildVersion);
      if (refusal) return respondRefusal(res, refusal.status, refusal.error);
      await answer(req, res);
    },
    close: async () => {},
  };
}

function decodeVersion(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function respondRefusal(res: ServerResponse, status: number, error: GraphQLError): void {
  respondGraphql(res, status, { data: null, errors: [error], usage: undefined });
}

function respondGraphql(res: ServerResponse, status: number, outcome: RequestOutcome): void {
  const text = toResponseText(outcome);
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }).end(text);
}

function respond(res: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  const type = { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(text) };
  res.writeHead(status, { ...type, ...headers }).end(text);
}
