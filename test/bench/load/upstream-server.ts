import { createServer, type Server, type ServerResponse } from 'node:http';
import { transactionDigest } from '../../../src/transactions/digest.ts';
import { createLedgerAnswers } from './ledger-answers.ts';
import { anyMark, findMark } from './request-mark.ts';
import { coinsOf, executedText, type SponsorCoin, sponsorAddress } from './sponsor-answers.ts';

/** Plays ledger and sponsor. */
export interface UpstreamServer {
  readonly server: Server;
  readonly calls: { readonly ledger: number; readonly sponsor: number };
  /** Gives the type `Epoch` another field, in place of the one that was added before. */
  addField(name: string): void;
}

/**
 * An answer is made when a body is first seen, apart from its mark; all bodies that differ only in their marks then get it from
 * memory, each with its own mark.
 */
export function createUpstreamServer(): UpstreamServer {
  const answerLedger = createLedgerAnswers(process.cwd());
  const calls = { ledger: 0, sponsor: 0 };
  /** By the body with `anyMark` in it: the answer, or what is between the places where its mark belongs. */
  const ledgerAnswers = new Map<string, Buffer | readonly string[]>();
  /** Coins come in a limited number of sets. */
  const coinTexts = new Map<readonly SponsorCoin[], string>();
  let lastReservation = 1_000_000;
  let addedField: string | null = null;

  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString();
      if (req.url === '/graphql') {
        calls.ledger += 1;
        send(res, 200, answerOf(body), 'application/json');
        return;
      }
      calls.sponsor += 1;
      if (req.url === '/') send(res, 200, '"OK"', 'application/json');
      else if (req.url !== '/v1/reserve_gas' && req.url !== '/v1/execute_tx') send(res, 404, '', 'text/plain');
      else if (req.headers.authorization !== 'Bearer bench') send(res, 401, '{"error":"Invalid authorization token"}');
      else send(res, 200, req.url === '/v1/execute_tx' ? execute(body) : reserve(body));
    });
  });

  function send(res: ServerResponse, status: number, body: string | Buffer, type = 'application/json'): void {
    const headers = {
      'content-type': type,
      'content-length': Buffer.byteLength(body),
      'x-ledger-rpc-version': '2026.11.0-bench',
    };
    res.writeHead(status, headers).end(body);
  }

  function answerOf(body: string): Buffer | string {
    const mark = findMark(body) ?? anyMark;
    const key = body.replaceAll(mark, anyMark);
    let answer = ledgerAnswers.get(key);
    if (answer === undefined) {
      const { query, variables } = JSON.parse(key);
      const text = withAddedField(key, answerLedger(query, variables));
      const pieces = text.split(anyMark);
      answer = pieces.length === 1 ? Buffer.from(text) : pieces;
      ledgerAnswers.set(key, answer);
    }
    return answer instanceof Buffer ? answer : answer.join(mark);
  }

  /** The schema may have one field more than the file has; which one, is changed by order. */
  function withAddedField(body: string, text: string): string {
    if (addedField === null || !isIntrospection(body)) return text;
    const answer = JSON.parse(text);
    const epoch = answer.data?.__schema?.types?.find(({ name }: { readonly name: string }) => name === 'Epoch');
    const type = { kind: 'SCALAR', name: 'Int', ofType: null };
    epoch?.fields.push({
      name: addedField,
      description: null,
      args: [],
      type,
      isDeprecated: false,
      deprecationReason: null,
    });
    return JSON.stringify(answer);
  }

  function addField(name: string): void {
    addedField = name;
    for (const body of ledgerAnswers.keys()) if (isIntrospection(body)) ledgerAnswers.delete(body);
  }

  function isIntrospection(body: string): boolean {
    return body.includes('__schema');
  }

  function reserve(body: string): string {
    const { gas_budget: gasBudget } = JSON.parse(body);
    lastReservation += 1;
    return `{"result":{"sponsor_address":"${sponsorAddress}","reservation_id":${lastReservation},"gas_coins":${coinsText(gasBudget)}},"error":null}`;
  }

  function execute(body: string): string {
    return executedText(transactionDigest(Buffer.from(JSON.parse(body).tx_bytes, 'base64')));
  }

  function coinsText(gasBudget: number): string {
    const coins = coinsOf(gasBudget);
    const known = coinTexts.get(coins);
    if (known !== undefined) return known;
    const text = JSON.stringify(coins);
    coinTexts.set(coins, text);
    return text;
  }

  return { server, calls, addField };
}
