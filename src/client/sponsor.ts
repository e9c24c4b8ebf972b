import { GatewayError, type RepeatOptions, repeat } from './gateway-error.ts';
import type { GraphqlDocument, Requests } from './request.ts';

export interface GasReservation {
  readonly reservationId: string;
  readonly sponsorAddress: string;
  readonly gasBudget: number;
  readonly gasCoins: readonly { readonly objectId: string; readonly version: number; readonly digest: string }[];
  readonly expiresAt: string;
}

/** The result of the SDKs' `Transaction.sign`. */
export interface SignedTransaction {
  /** Base64. */
  readonly bytes: string;
  /** Base64. */
  readonly signature: string;
  /** `Transaction.getDigest`. If the gateway has forgotten the execution, the client looks up this digest. */
  readonly digest?: string | undefined;
}

/** `localStorage`, `sessionStorage`, or any other store with these methods. */
export interface KeyStore {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

export type SponsorStep = 'reserve' | 'sign' | 'execute' | 'done';

export interface SponsorResult {
  readonly digest: string;
  /** `RECOVERED`: the transaction is in the ledger, and its effects show whether it succeeded. */
  readonly outcome: 'EXECUTED' | 'FAILED' | 'RECOVERED';
  readonly effects?: { readonly status: { readonly status: string; readonly error?: string | null } } | null;
}

export interface SponsorOptions<Result> extends RepeatOptions {
  readonly gasBudget: number;
  /** How long signing may take. Default 60 s. */
  readonly reserveDurationSecs?: number;
  /** Builds and signs the transaction that pays with the reserved coins. Called again after a reload during signing. */
  readonly sign: (reservation: GasReservation) => SignedTransaction | Promise<SignedTransaction>;
  readonly store: KeyStore;
  /** Names this transaction in the store. The same name returns the same result, until the app removes it from the store. */
  readonly storeKey: string;
  /**
   * A mutation with `executeTx(reservationId: $reservationId, txBytes: $txBytes, userSig: $userSig, idempotencyKey:
   * $idempotencyKey)` and the fields that the app needs, `digest` and `outcome` among them.
   */
  readonly execute?: GraphqlDocument<{ readonly executeTx?: Result | null }, never>;
  readonly onStep?: (step: SponsorStep) => void;
}

export type Sponsor = <Result extends Pick<SponsorResult, 'digest'> = SponsorResult>(
  options: SponsorOptions<Result>,
) => Promise<Result>;

/** The content of the store, written before each request that it describes. */
interface Kept {
  readonly key: string;
  readonly reservationId?: string;
  readonly signed?: SignedTransaction;
  readonly result?: unknown;
}

/** The documents that `sponsor` sends, for a manifest of trusted documents. */
export const sponsorDocuments = {
  reserve: `mutation($gasBudget:UInt53!,$reserveDurationSecs:Int!,$idempotencyKey:String){
reserveGas(gasBudget:$gasBudget,reserveDurationSecs:$reserveDurationSecs,idempotencyKey:$idempotencyKey){
reservationId sponsorAddress gasBudget gasCoins{objectId version digest}expiresAt state}}`,
  execute: `mutation($reservationId:ID!,$txBytes:Base64!,$userSig:Base64!,$idempotencyKey:String){
executeTx(reservationId:$reservationId,txBytes:$txBytes,userSig:$userSig,idempotencyKey:$idempotencyKey){
digest outcome effects{status{status error}}}}`,
  // Some ledgers have the first of these two fields, the others the second.
  lookUp: 'query($digest:String!){found:transactionBlock(digest:$digest){digest}}',
  lookUpTransaction: 'query($digest:String!){found:transaction(digest:$digest){digest}}',
};

export function createSponsor({ request }: Pick<Requests, 'request'>): Sponsor {
  const running = new Map<string, Promise<unknown>>();

  const run = async (options: SponsorOptions<unknown>): Promise<unknown> => {
    const {
      store,
      storeKey,
      gasBudget,
      reserveDurationSecs = 60,
      sign,
      execute = sponsorDocuments.execute,
      onStep,
    } = options;
    const text = await store.getItem(storeKey);
    let kept: Kept = text ? JSON.parse(text) : { key: toKey() };
    const keep = () => store.setItem(storeKey, JSON.stringify(kept));
    if (kept.result) return kept.result;
    let mayHaveRun = Boolean(kept.signed);

    const reserve = async () => {
      await keep();
      const variables = { gasBudget, reserveDurationSecs, idempotencyKey: kept.key };
      const data = await repeat(() => request(sponsorDocuments.reserve, variables, options), options).catch(
        async (error) => {
          if (error.retry === 'never') await store.removeItem(storeKey);
          throw error;
        },
      );
      return (data as { reserveGas: GasReservation & { state: string } }).reserveGas;
    };
    if (!kept.signed) {
      onStep?.('reserve');
      let reservation = await reserve();
      if (reservation.state === 'EXPIRED') {
        kept = { key: toKey() };
        reservation = await reserve();
      }
      onStep?.('sign');
      const { bytes, signature, digest } = await sign(reservation);
      kept = { key: kept.key, reservationId: reservation.reservationId, signed: { bytes, signature, digest } };
      await keep();
    }

    const { key, reservationId, signed } = kept;
    const variables = {
      reservationId,
      txBytes: signed?.bytes,
      userSig: signed?.signature,
      idempotencyKey: key,
    };
    const lookUp = async (digest = signed?.digest) => {
      if (!digest || (signed?.digest ?? digest) !== digest) return null;
      const data = await request(sponsorDocuments.lookUp, { digest }, options).catch((error) => {
        if (error.retry !== 'never') throw error;
        return request(sponsorDocuments.lookUpTransaction, { digest }, options);
      });
      return (data as { found: unknown }).found && { digest, outcome: 'RECOVERED' };
    };
    onStep?.('execute');
    const result = await repeat(async () => {
      try {
        return ((await request(execute, variables, options)) as Executed).executeTx;
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        const { code, retry, data, extensions } = error;
        const executed = (data as Executed | null)?.executeTx;
        if (executed) return executed;
        const isRejected = /^SPONSOR_/.test(code);
        const isFinal = isRejected || retry === 'never' || code === 'RESERVATION_NOT_FOUND';
        mayHaveRun ||= !isFinal && (retry !== 'backoff' || code === 'INTERNAL_SERVER_ERROR');
        // A proxy may have sent the transaction twice.
        const isDoubtful = mayHaveRun || code === 'RESERVATION_NOT_FOUND';
        const found = isDoubtful && (isFinal || retry === 'look-up') ? await lookUp(extensions.digest) : null;
        if (isRejected) mayHaveRun = false;
        if (found || isFinal) return found || { error };
        throw error;
      }
    }, options);
    const { error } = result as { error?: GatewayError };
    if (error) {
      // A new call may start again, unless an earlier request may have executed the transaction.
      if (!mayHaveRun) await store.removeItem(storeKey);
      throw error;
    }
    kept = { key, result };
    try {
      await keep();
    } catch {
      // The store is full. A repeated call gets the same result from the gateway.
    }
    onStep?.('done');
    return result;
  };

  return <Result>(options: SponsorOptions<Result>) => {
    const { storeKey } = options;
    let current = running.get(storeKey);
    if (!current) {
      const locks = (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks;
      const start = () => run(options as SponsorOptions<unknown>);
      // Another tab may sponsor the same transaction: wait for its result.
      current = (locks ? locks.request(`ledger-gateway ${storeKey}`, start) : start()).finally(() =>
        running.delete(storeKey),
      );
      running.set(storeKey, current);
    }
    return current as Promise<Result>;
  };
}

interface Executed {
  readonly executeTx?: object | null;
}

/** The Web Locks API, which pages have over HTTPS and on localhost. */
interface Locks {
  request<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
}

/** Not `crypto.randomUUID`, which pages over plain HTTP do not have. */
function toKey(): string {
  return btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(18))));
}
