import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildClientSchema, getIntrospectionQuery, parse, print } from 'graphql';
import { askingForTypes, executeWithFaults, type LedgerRequestBody } from './execute-with-faults.ts';
import type { LedgerAnswer, LedgerFault } from './ledger-faults.ts';

export interface LedgerExchange {
  readonly headers: IncomingHttpHeaders;
  readonly body: LedgerRequestBody;
  /** The response as the gateway received it, if any. */
  readonly answer: LedgerAnswer | undefined;
}

export interface SpoilingUpstream extends AsyncDisposable {
  readonly url: string;
  /** Faults to apply to the next responses, in order; empty: none. Introspection is exempt. */
  faults: readonly LedgerFault[];
  /** Requests in the order of their responses, without introspection. */
  readonly exchanges: LedgerExchange[];
  /** Called before a request is forwarded, which waits for it. */
  gate: ((body: LedgerRequestBody) => Promise<void>) | undefined;
}

/** A proxy between the gateway and a ledger that corrupts responses on demand. */
export async function spoilAnswers(ledgerUrl: string): Promise<SpoilingUpstream> {
  const post = async (body: LedgerRequestBody) => {
    const response = await fetch(ledgerUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const version = response.headers.get('x-ledger-rpc-version') ?? '';
    return { version, status: response.status, text: await response.text() };
  };
  const introspection = JSON.parse((await post({ query: getIntrospectionQuery() })).text);
  const schema = buildClientSchema(introspection.data);

  // Tests send each operation over several transports, and executing it with failing fields takes longest.
  let spoiltBefore = new Map<string, Promise<string>>();
  let faultsBefore: readonly LedgerFault[] = [];
  const spoilOnce = (body: LedgerRequestBody, text: string, faults: readonly LedgerFault[]): Promise<string> => {
    if (faults !== faultsBefore) spoiltBefore = new Map();
    faultsBefore = faults;
    const key = JSON.stringify([body, text]);
    const spoilt = spoiltBefore.get(key) ?? spoil(body, text, faults);
    spoiltBefore.set(key, spoilt);
    return spoilt;
  };

  const spoil = async (body: LedgerRequestBody, text: string, faults: readonly LedgerFault[]): Promise<string> => {
    let spoilt = text;
    for (const fault of faults) {
      const answer = JSON.parse(spoilt) as LedgerAnswer;
      if (fault.kind === 'text') spoilt = fault.rewrite(answer);
      if (fault.kind === 'fields' && answer.data) {
        const whole = await post({ ...body, query: print(askingForTypes(parse(body.query))) });
        const typed = JSON.parse(whole.text) as LedgerAnswer;
        spoilt = JSON.stringify(await executeWithFaults(schema, body, typed, fault.failing));
      }
    }
    return spoilt;
  };

  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', async () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as LedgerRequestBody;
      const isSpared = /\b__schema\b/.test(body.query) || /^\{serviceConfig\{[^{}]*\}\}$/.test(body.query);
      if (!isSpared) await ledger.gate?.(body);
      const { version, status, text } = await post(body);
      res.setHeader('x-ledger-rpc-version', version);
      const faults = isSpared || status !== 200 ? [] : ledger.faults;
      const spoilt = faults.length === 0 ? text : await spoilOnce(body, text, faults);
      const played = faults.find((fault) => fault.kind === 'http');
      if (!isSpared) {
        const answer = played ? undefined : (JSON.parse(spoilt) as LedgerAnswer);
        ledger.exchanges.push({ headers: req.headers, body, answer });
      }
      if (played) return played.respond(res, spoilt);
      res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(spoilt) });
      res.end(spoilt);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ledger: SpoilingUpstream = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    faults: [],
    exchanges: [],
    gate: undefined,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  return ledger;
}
