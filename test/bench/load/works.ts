import { isDeepStrictEqual } from 'node:util';
import type { AnswerLedger } from './ledger-answers.ts';
import { coinsOf, manyCoinsBudget, type SponsorCoin, sponsorAddress } from './sponsor-answers.ts';

/** How a contestant is spoken to: as a GraphQL gateway, or as the bare proxy that is the floor. */
export type Dialect = 'graphql' | 'floor';

export interface WorkRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One kind of request, asked in many variants so that no two requests in flight are the same. */
export interface Work {
  readonly id: string;
  readonly title: string;
  /** Most CPU time per request, in multiples of the floor's. */
  readonly goal: number;
  /** How far answers to one variant may differ in length, in bytes: ids count up, times pass. */
  readonly lengthSlack: number;
  readonly request: (dialect: Dialect, variant: number) => WorkRequest;
  /** What is wrong with an answer, `null` when nothing is. */
  readonly findFault: (dialect: Dialect, variant: number, answer: unknown) => string | null;
}

const eventFields = `
fragment EventFields on Event { ...Origin type { ...TypeName } sender { address } timestamp json bcs }
fragment Origin on Event { sendingModule { name package { digest } } }
fragment TypeName on MoveType { repr }`;

const eventsQuery = `query Events($first: Int, $after: String, $filter: EventFilter) {
  events(first: $first, after: $after, filter: $filter) { nodes { ...EventFields } pageInfo { hasNextPage endCursor } }
}${eventFields}`;

const ids = Array.from({ length: 10 }, (_, index) => `a${index}`);
const objectsQuery = `query Objects(${ids.map((id) => `$${id}: LedgerAddress!`).join(', ')}) {
${ids.map((id) => `  ${id}: object(address: $${id}) { address version digest status storageRebate }`).join('\n')}
}`;

const reservationFields = 'reservationId sponsorAddress gasBudget expiresAt secondsLeft state';
/** Likewise. */
const smallBudget = 5_000_000;
const reserveQuery = (coinFields: string) => `mutation Reserve($gasBudget: UInt53!) {
  reserveGas(gasBudget: $gasBudget, reserveDurationSecs: 60) { ${reservationFields} gasCoins { ${coinFields} } }
}`;
const coinFields = 'objectId version digest';
const objectFields = 'address version digest storageRebate owner { __typename }';

const epochFields = 'chainIdentifier epoch(id: $id) { epochId referenceGasPrice }';
const mixedQuery = `query Mixed($id: Int) { ${epochFields} sponsor { health } }`;
/** So many digits that every variant has as many. */
const firstEpoch = 1_000_000;
const mixedLedgerQuery = `query Mixed($id: Int) { ${epochFields} }`;

type Json = Record<string, unknown>;

/** @param answerLedger what the upstream would say, to hold every answer against */
export function createWorks(answerLedger: AnswerLedger): readonly Work[] {
  const expected = new Map<string, unknown>();
  /** @param key under which the expectation is kept: variants that are answered alike share one */
  const ledgerData = (key: string, query: string, variables?: Json): unknown => {
    const known = expected.get(key);
    if (known) return known;
    const { data } = JSON.parse(answerLedger(query, variables));
    expected.set(key, data);
    return data;
  };

  /** A document that is the ledger's alone: the floor forwards it as it is. */
  const ledgerWork = (
    work: Pick<Work, 'id' | 'title' | 'goal'>,
    ask: (variant: number) => { readonly query: string; readonly variables?: Json },
    keyOf: (variant: number) => string = String,
  ): Work => ({
    ...work,
    lengthSlack: 0,
    request: (_dialect, variant) => toGraphqlRequest(ask(variant)),
    findFault: (_dialect, variant, answer) => {
      const { query, variables } = ask(variant);
      return findDataFault(answer, ledgerData(`${work.id}.${keyOf(variant)}`, query, variables));
    },
  });

  const events = (first: number) => (variant: number) => ({
    query: eventsQuery,
    variables: { first, after: `cursor-${pad(variant)}`, filter: { eventType: '0x2::battle' } },
  });

  return [
    ledgerWork({ id: 'W1', title: '{ chainIdentifier }, distinct documents', goal: 1.15 }, (variant) => ({
      query: `{ c${pad(variant)}: chainIdentifier }`,
    })),
    ledgerWork({ id: 'W2', title: '50 events, variables and fragments', goal: 1.05 }, events(50), () => ''),
    ledgerWork({ id: 'W3', title: '500 events', goal: 0.8 }, events(500), () => ''),
    {
      id: 'W4',
      title: 'reserveGas against the REST service',
      goal: 1.9,
      lengthSlack: 32,
      request: (dialect, variant) => {
        const gasBudget = smallBudget + variant;
        return dialect === 'floor'
          ? { path: '/v1/reserve_gas', headers: sponsorHeaders, body: toReserveBody(gasBudget) }
          : toGraphqlRequest({ query: reserveQuery(coinFields), variables: { gasBudget } });
      },
      findFault: (dialect, variant, answer) => {
        const gasBudget = smallBudget + variant;
        const coins = coinsOf(gasBudget);
        if (dialect === 'floor') return findRestFault(answer, coins);
        return findReservationFault(answer, gasBudget, coins);
      },
    },
    {
      id: 'W5',
      title: 'ledger and sponsor fields in one operation',
      goal: 1.5,
      lengthSlack: 0,
      request: (dialect, variant) =>
        dialect === 'floor'
          ? { ...toGraphqlRequest({ query: mixedLedgerQuery, variables: { id: firstEpoch + variant } }), path: '/both' }
          : toGraphqlRequest({ query: mixedQuery, variables: { id: firstEpoch + variant } }),
      findFault: (dialect, variant, answer) => {
        const data = ledgerData(`W5.${variant}`, mixedLedgerQuery, { id: firstEpoch + variant }) as Json;
        if (dialect === 'graphql') return findDataFault(answer, { ...data, sponsor: { health: 'OK' } });
        return isDeepStrictEqual(answer, { ledger: { data }, sponsor: 'OK' }) ? null : 'not both answers';
      },
    },
    ledgerWork({ id: 'W6', title: 'ten aliased objects, one upstream request', goal: 1.15 }, (variant) => ({
      query: objectsQuery,
      variables: Object.fromEntries(ids.map((id, index) => [id, toAddress(variant * ids.length + index)])),
    })),
    {
      id: 'W7',
      title: '20 gas coins joined to their objects',
      goal: 6,
      lengthSlack: 32,
      request: (dialect, variant) => {
        const gasBudget = manyCoinsBudget + variant;
        if (dialect === 'graphql')
          return toGraphqlRequest({
            query: reserveQuery(`${coinFields} object { ${objectFields} }`),
            variables: { gasBudget },
          });
        const { headers, body } = toGraphqlRequest({ query: toCoinsQuery(coinsOf(gasBudget)) });
        return {
          path: '/joined',
          headers: { ...headers, ...sponsorHeaders, 'x-reserve': toReserveBody(gasBudget) },
          body,
        };
      },
      findFault: (dialect, variant, answer) => {
        const gasBudget = manyCoinsBudget + variant;
        const coins = coinsOf(gasBudget);
        const objects = ledgerData(`W7.${variant}`, toCoinsQuery(coins)) as Json;
        if (dialect === 'graphql')
          return findReservationFault(
            answer,
            gasBudget,
            coins.map((coin, index) => ({ ...coin, object: objects[`k${index}`] })),
          );
        const { sponsor, ledger } = (answer ?? {}) as Json;
        return isDeepStrictEqual(ledger, { data: objects }) ? findRestFault(sponsor, coins) : 'not the objects';
      },
    },
  ];
}

const sponsorHeaders = { 'content-type': 'application/json', authorization: 'Bearer bench' };

function toGraphqlRequest(params: { readonly query: string; readonly variables?: Json }): WorkRequest {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  return { path: '/graphql', headers, body: JSON.stringify(params) };
}

function toReserveBody(gasBudget: number): string {
  return JSON.stringify({ gas_budget: gasBudget, reserve_duration_secs: 60 });
}

/** What a client that talks to the ledger itself would ask for the coins of a reservation. */
function toCoinsQuery(coins: readonly SponsorCoin[]): string {
  const lookup = ({ objectId, version }: SponsorCoin, index: number) =>
    `k${index}: object(address: "${objectId}", version: ${version}) { ...Coin }`;
  return `{ ${coins.map(lookup).join(' ')} } fragment Coin on Object { ${objectFields} }`;
}

function findDataFault(answer: unknown, data: unknown): string | null {
  if (!isObject(answer)) return 'not an object';
  if (answer.errors !== undefined) return `errors: ${JSON.stringify(answer.errors).slice(0, 500)}`;
  return sameJson(answer.data, data) ? null : `other data: ${JSON.stringify(answer.data ?? null).slice(0, 500)}`;
}

function findReservationFault(answer: unknown, gasBudget: number, gasCoins: readonly object[]): string | null {
  const { data, ...rest } = isObject(answer) ? answer : {};
  const reserveGas = isObject(data) ? data.reserveGas : undefined;
  if (!isObject(reserveGas)) return findDataFault(answer, 'a reservation');
  const { reservationId, expiresAt, secondsLeft, ...lasting } = reserveGas;
  const isAlive = typeof secondsLeft === 'number' && secondsLeft > 50 && Date.parse(String(expiresAt)) > Date.now();
  if (typeof reservationId !== 'string' || reservationId === '' || !isAlive) return 'not a live reservation';
  return findDataFault({ ...rest, data: lasting }, { sponsorAddress, gasBudget, state: 'ACTIVE', gasCoins });
}

function findRestFault(answer: unknown, coins: readonly SponsorCoin[]): string | null {
  const { result } = (answer ?? {}) as { readonly result?: { readonly gas_coins?: unknown } };
  return isDeepStrictEqual(result?.gas_coins, coins) ? null : 'not the reserved coins';
}

/** Objects of graphql have no prototype, and keys may come in any order. */
function sameJson(left: unknown, right: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(left ?? null)), JSON.parse(JSON.stringify(right)));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pad(variant: number): string {
  return String(variant).padStart(6, '0');
}

function toAddress(number: number): string {
  return `0x${(number + 1).toString(16).padStart(64, '0')}`;
}
