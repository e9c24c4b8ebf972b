import { isDeepStrictEqual } from 'node:util';
import { base58 } from '@scure/base';
import { transactionDigest } from '../../../src/transactions/digest.ts';
import { toTransaction } from './executions.ts';
import { findDataFault, findExecutionFault, findReservationFault, findRestFault, sameJson } from './find-fault.ts';
import type { AnswerLedger } from './ledger-answers.ts';
import { anyMark, markOf } from './request-mark.ts';
import { coinSets, coinsOf, gasUsed, manyCoinsBudget, type SponsorCoin } from './sponsor-answers.ts';
import { keyOf } from './sponsor-callers.ts';
import type { Work, WorkRequest } from './work.ts';

/** More than are asked at the same time, and few enough that all are known soon. */
const knownTexts = 256;
const knownDigests = 64;

const eventFields = `
fragment EventFields on Event { ...Origin type { ...TypeName } sender { address } timestamp json bcs }
fragment Origin on Event { sendingModule { name package { digest } } }
fragment TypeName on MoveType { repr }`;
const eventPage = 'nodes { ...EventFields } pageInfo { hasNextPage endCursor }';

const eventsQuery = `query Events($first: Int, $after: String, $filter: EventFilter) {
  events(first: $first, after: $after, filter: $filter) { ${eventPage} }
}${eventFields}`;
const inlinedEventsQuery = (mark: string) => `query Events {
  e${mark}: events(first: 50, after: "cursor-${mark}", filter: { eventType: "0x2::battle" }) { ${eventPage} }
}${eventFields}`;

const places = Array.from({ length: 10 }, (_, index) => index);
const shownOfObject = '{ address version digest status storageRebate }';
const objectsQuery = `query Objects(${places.map((at) => `$a${at}: LedgerAddress!`).join(', ')}) {
${places.map((at) => `  a${at}: object(address: $a${at}) ${shownOfObject}`).join('\n')}
}`;
/** @param alias of the first object */
const inlinedObjectsQuery = (mark: string, alias: string) => `query Objects {
${places.map((at) => `  ${at === 0 ? alias : `a${at}`}: object(address: "${toAddress(mark, at)}") ${shownOfObject}`).join('\n')}
}`;

const transactionQuery = `query Transaction($digest: String!) {
  transactionBlock(digest: $digest) {
    digest sender { address } signatures gasInput { gasPrice gasBudget }
    effects {
      status lamportVersion timestamp checkpoint { sequenceNumber digest }
      gasEffects { gasSummary { computationCost storageCost storageRebate } }
    }
  }
}`;

const reserveQuery = (coinFields: string) => `mutation Reserve($gasBudget: UInt53!) {
  reserveGas(gasBudget: $gasBudget, reserveDurationSecs: 60) {
    reservationId sponsorAddress gasBudget expiresAt secondsLeft state gasCoins { ${coinFields} }
  }
}`;
const coinFields = 'objectId version digest';
const joinedFields = 'address version digest storageRebate owner { __typename }';
const leaseQuery = `mutation Lease($gasBudget: UInt53!) {
  reserveGas(gasBudget: $gasBudget, reserveDurationSecs: 180) { reservationId }
}`;
const executeQuery = `mutation Execute($id: ID!, $tx: Base64!, $sig: Base64!) {
  executeTx(reservationId: $id, txBytes: $tx, userSig: $sig) {
    digest outcome effects { status { status } gasUsed { computationCost storageCost storageRebate } }
  }
}`;
/**
 * Requests in a slice of works that reserve or execute: those of one run together stay below the number of reservations that
 * a gateway remembers for six minutes.
 */
const sponsoredSlice = 1_500;
/** So many digits that every budget has as many. */
const smallBudget = 100_000_000;

const epochFields = 'chainIdentifier epoch(id: $id) { epochId referenceGasPrice }';
const mixedQuery = `query Mixed($id: Int) { ${epochFields} sponsor { health } }`;
const mixedLedgerQuery = `query Mixed($id: Int) { ${epochFields} }`;

type Json = Readonly<Record<string, unknown>>;

/** A request of GraphQL: all of its body. */
interface Asked {
  readonly query: string;
  readonly variables?: Json;
  readonly extensions?: Json;
}

/** @param answerLedger what the upstream would say, to hold every answer against */
export function createWorks(answerLedger: AnswerLedger): readonly Work[] {
  const answers = new Map<string, string>();
  /** @param variant requests of one variant are answered alike, but for their marks */
  const ledgerData = (id: string, variant: number, mark: string, { query, variables }: Asked): unknown => {
    const key = `${id}.${variant}`;
    const answer = answers.get(key) ?? answerLedger(query, variables).replaceAll(mark, anyMark);
    answers.set(key, answer);
    return JSON.parse(answer.replaceAll(anyMark, mark)).data;
  };

  /** A document that is the ledger's alone: the floor forwards it as it is. */
  const ledgerWork = (
    work: Pick<Work, 'id' | 'title' | 'goal' | 'overTransports'> & { readonly variants?: number },
    ask: (mark: string, variant: number) => Asked,
  ): Work => {
    const variants = work.variants ?? 1;
    const askFor = (serial: number) => ask(markOf(serial), serial % variants);
    return {
      ...work,
      variants,
      isForwarded: true,
      lengthSlack: 0,
      request: (_dialect, serial) => toGraphqlRequest(askFor(serial)),
      findFault: (_dialect, serial, answer) =>
        findDataFault(answer, ledgerData(work.id, serial % variants, markOf(serial), askFor(serial))),
    };
  };

  const events = (first: number) => (mark: string) => ({
    query: eventsQuery,
    variables: { first, after: `cursor-${mark}`, filter: { eventType: '0x2::battle' } },
  });

  return [
    ledgerWork(
      {
        id: 'W1',
        title: '{ epoch { epochId } }, distinct documents',
        goal: 1.1,
        variants: knownTexts,
        overTransports: true,
      },
      // No document declares this variable: it makes the body a new one, and what is sent upstream too.
      (mark, variant) => ({ query: `{ e${pad(variant)}: epoch { epochId } }`, variables: { request: mark } }),
    ),
    ledgerWork({ id: 'W2', title: '50 events, variables and fragments', goal: 0.95, overTransports: true }, events(50)),
    ledgerWork({ id: 'W3', title: '500 events', goal: 0.45 }, events(500)),
    {
      id: 'W4',
      title: 'reserveGas against the REST service',
      goal: 1.9,
      variants: coinSets,
      isForwarded: true,
      lengthSlack: 32,
      sliceRequests: sponsoredSlice,
      request: (dialect, serial) => {
        const gasBudget = smallBudget + serial;
        return dialect === 'floor'
          ? { path: '/v1/reserve_gas', headers: jsonHeaders, body: toReserveBody(gasBudget) }
          : toSponsoredRequest({ query: reserveQuery(coinFields), variables: { gasBudget } }, serial);
      },
      findFault: (dialect, serial, answer) => {
        const gasBudget = smallBudget + serial;
        const coins = coinsOf(gasBudget);
        return dialect === 'floor' ? findRestFault(answer, coins) : findReservationFault(answer, gasBudget, coins);
      },
    },
    {
      id: 'W5',
      title: 'ledger and sponsor fields in one operation',
      goal: 1.3,
      variants: 1,
      isForwarded: false,
      lengthSlack: 0,
      request: (dialect, serial) => {
        const variables = { id: Number(markOf(serial)) };
        return dialect === 'floor'
          ? { ...toGraphqlRequest({ query: mixedLedgerQuery, variables }), path: '/both' }
          : toGraphqlRequest({ query: mixedQuery, variables });
      },
      findFault: (dialect, serial, answer) => {
        const asked = { query: mixedLedgerQuery, variables: { id: Number(markOf(serial)) } };
        const data = ledgerData('W5', 0, markOf(serial), asked) as Json;
        if (dialect === 'graphql') return findDataFault(answer, { ...data, sponsor: { health: 'OK' } });
        return isDeepStrictEqual(answer, { ledger: { data }, sponsor: 'OK' }) ? null : 'not both answers';
      },
    },
    ledgerWork({ id: 'W6', title: 'ten aliased objects, one upstream request', goal: 1.15 }, (mark) => ({
      query: objectsQuery,
      variables: Object.fromEntries(places.map((at) => [`a${at}`, toAddress(mark, at)])),
    })),
    {
      id: 'W7',
      title: '20 gas coins joined to their objects',
      goal: 3.8,
      variants: coinSets,
      isForwarded: false,
      lengthSlack: 32,
      sliceRequests: sponsoredSlice,
      request: (dialect, serial) => {
        const gasBudget = manyCoinsBudget + serial;
        const query = reserveQuery(`${coinFields} object { ${joinedFields} }`);
        if (dialect === 'graphql') return toSponsoredRequest({ query, variables: { gasBudget } }, serial);
        const { headers, body } = toGraphqlRequest({ query: toCoinsQuery(coinsOf(gasBudget)) });
        return { path: '/joined', headers: { ...headers, 'x-reserve': toReserveBody(gasBudget) }, body };
      },
      findFault: (dialect, serial, answer) => {
        const gasBudget = manyCoinsBudget + serial;
        const coins = coinsOf(gasBudget);
        const asked = { query: toCoinsQuery(coins) };
        const objects = ledgerData('W7', serial % coinSets, markOf(serial), asked) as Json;
        if (dialect === 'graphql')
          return findReservationFault(
            answer,
            gasBudget,
            coins.map((coin, index) => ({ ...coin, object: objects[`k${index}`] })),
          );
        const { sponsor, ledger } = (answer ?? {}) as Json;
        return sameJson(ledger, { data: objects }) ? findRestFault(sponsor, coins) : 'not the objects';
      },
    },
    ledgerWork(
      { id: 'W8', title: 'a finalised transaction, answered from memory', goal: 0.45, variants: knownDigests },
      // The extension makes the body a new one, and says nothing about what is asked.
      (mark, variant) => ({
        query: transactionQuery,
        variables: { digest: toDigest(variant) },
        extensions: { request: mark },
      }),
    ),
    {
      id: 'W9',
      title: 'executeTx against the REST service',
      goal: 2.5,
      variants: 1,
      isForwarded: true,
      lengthSlack: 8,
      sliceRequests: sponsoredSlice,
      isForGatewayAlone: true,
      // The sponsor of the bench takes any number, so that the floor needs no reservation.
      before: (dialect, serial) => {
        const variables = { gasBudget: smallBudget + serial };
        return dialect === 'floor' ? null : toSponsoredRequest({ query: leaseQuery, variables }, serial);
      },
      request: (dialect, serial, reserved) => {
        const { txBytes: tx, userSig: sig } = toTransaction(serial, smallBudget + serial);
        const { data } = (reserved ?? {}) as {
          readonly data?: { readonly reserveGas?: { readonly reservationId?: string } };
        };
        if (dialect === 'graphql') {
          const variables = { id: data?.reserveGas?.reservationId ?? '', tx, sig };
          return toSponsoredRequest({ query: executeQuery, variables }, serial);
        }
        const body = JSON.stringify({ reservation_id: smallBudget + serial, tx_bytes: tx, user_sig: sig });
        return { path: '/v1/execute_tx', headers: jsonHeaders, body };
      },
      findFault: (dialect, serial, answer) => {
        const digest = transactionDigest(Buffer.from(toTransaction(serial, smallBudget + serial).txBytes, 'base64'));
        if (dialect === 'floor') return findExecutionFault(answer, digest);
        const { computationCost, storageCost, storageRebate } = gasUsed;
        const effects = { status: { status: 'success' }, gasUsed: { computationCost, storageCost, storageRebate } };
        return findDataFault(answer, { executeTx: { digest, outcome: 'EXECUTED', effects } });
      },
    },
    ledgerWork({ id: 'W1-new', title: '{ epoch { epochId } }, every text new', goal: 1.5 }, (mark) => ({
      query: `{ e${mark}: epoch { epochId } }`,
    })),
    ledgerWork({ id: 'W2-new', title: '50 events, every text new', goal: 1.4 }, (mark) => ({
      query: inlinedEventsQuery(mark),
    })),
    ledgerWork({ id: 'W6-new', title: 'ten objects, every text new', goal: 3 }, (mark) => ({
      query: inlinedObjectsQuery(mark, `a${mark}`),
    })),
  ];
}

const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json' };

function toGraphqlRequest(asked: Asked): WorkRequest {
  return { path: '/graphql', headers: jsonHeaders, body: JSON.stringify(asked) };
}

/** By a caller who may reserve and execute. */
function toSponsoredRequest(asked: Asked, serial: number): WorkRequest {
  const request = toGraphqlRequest(asked);
  return { ...request, headers: { ...request.headers, 'x-api-key': keyOf(serial) } };
}

function toReserveBody(gasBudget: number): string {
  return JSON.stringify({ gas_budget: gasBudget, reserve_duration_secs: 60 });
}

/** What a client that talks to the ledger itself would ask for the coins of a reservation. */
function toCoinsQuery(coins: readonly SponsorCoin[]): string {
  const lookup = ({ objectId, version }: SponsorCoin, index: number) =>
    `k${index}: object(address: "${objectId}", version: ${version}) { ...Coin }`;
  return `{ ${coins.map(lookup).join(' ')} } fragment Coin on Object { ${joinedFields} }`;
}

function pad(variant: number): string {
  return String(variant).padStart(6, '0');
}

/** 44 digits, whichever it is. */
function toDigest(variant: number): string {
  const bytes = new Uint8Array(32).fill(0x80);
  new DataView(bytes.buffer).setUint32(28, variant);
  return base58.encode(bytes);
}

function toAddress(mark: string, place: number): string {
  return `0x${`${mark}${place}`.padStart(64, '0')}`;
}
