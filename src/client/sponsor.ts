import { GatewayError, type RepeatOptions, repeat } from './gateway-error.ts';
import type { GraphqlDocument, Requests } from './request.ts';

export interface GasReservation {
  readonly reservationId: string;
  readonly sponsorAddress: string;
  readonly gasBudget: number;
  readonly gasCoins: readonly { readonly objectId: string; readonly version: number; readonly digest: string }[];
  readonly expiresAt: string;
}

/** A transaction that the gateway completed. */
export interface SponsoredTransaction {
  /** What its sender signs, base64. */
  readonly bytes: string;
  readonly digest: string;
  readonly reservation: GasReservation;
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
  /**
   * Stores the value unless the key has one, in one atomic step, and returns whether it did. Needed if several processes or
   * tabs without Web Locks use one store, so that two of them never pay for the same `storeKey`.
   */
  add?(key: string, value: string): boolean | Promise<boolean>;
}

export type SponsorStep = 'reserve' | 'sign' | 'execute' | 'done';

export interface SponsorResult {
  readonly digest: string;
  /** `RECOVERED`: the transaction is in the ledger, and its effects show whether it succeeded. */
  readonly outcome: 'EXECUTED' | 'FAILED' | 'RECOVERED';
  readonly effects?: { readonly status: { readonly status: string; readonly error?: string | null } } | null;
}

/** The gateway completes the transaction: the shortest form. */
export interface KindOptions {
  /** Base64 of the SDKs' `tx.build({ client, onlyTransactionKind: true })`. */
  readonly kind: string;
  /** Address of the user who signs. */
  readonly sender: string;
  /** Default: found by a simulation. */
  readonly gasBudget?: number;
  /** Signs the `bytes`, as wallets and the SDKs' keys do. Called again after a reload during signing. */
  readonly sign: (
    transaction: SponsoredTransaction,
  ) => Pick<SignedTransaction, 'signature'> | Promise<Pick<SignedTransaction, 'signature'>>;
}

/** The app builds the whole transaction, with coins that were reserved for it. */
export interface ReservationOptions {
  readonly kind?: undefined;
  readonly sender?: undefined;
  readonly gasBudget: number;
  /** Builds and signs the transaction that pays with the reserved coins. Called again after a reload during signing. */
  readonly sign: (reservation: GasReservation) => SignedTransaction | Promise<SignedTransaction>;
}

/** Left out: a page that is closed before the result does not learn the outcome. */
export interface StoreOptions {
  readonly store: KeyStore;
  /** Names this transaction in the store. The same name returns the same result, until the app removes it from the store. */
  readonly storeKey: string;
}

/** @typeParam Form `KindOptions` or `ReservationOptions` */
export type SponsorForm<Result, Form> = SharedSponsorOptions<Result> &
  Form &
  (StoreOptions | { readonly store?: undefined; readonly storeKey?: undefined });

export type SponsorOptions<Result> = SponsorForm<Result, KindOptions> | SponsorForm<Result, ReservationOptions>;

export interface SharedSponsorOptions<Result> extends RepeatOptions {
  /** How long signing may take. Default 60 s. */
  readonly reserveDurationSecs?: number;
  /**
   * A mutation with `executeTx(reservationId: $reservationId, txBytes: $txBytes, userSig: $userSig, idempotencyKey:
   * $idempotencyKey)` and the fields that the app needs, `digest` and `outcome` among them.
   */
  readonly execute?: GraphqlDocument<{ readonly executeTx?: Result | null }, never>;
  readonly onStep?: (step: SponsorStep) => void;
}

/** Two signatures, so that the parameter of `sign` has its type. */
export interface Sponsor {
  <Result extends Pick<SponsorResult, 'digest'> = SponsorResult>(
    options: SponsorForm<Result, KindOptions>,
  ): Promise<Result>;
  <Result extends Pick<SponsorResult, 'digest'> = SponsorResult>(
    options: SponsorForm<Result, ReservationOptions>,
  ): Promise<Result>;
}

/** The content of the store, written before each request that it describes. */
interface Kept {
  readonly key: string;
  readonly reservationId?: string;
  readonly signed?: SignedTransaction;
  readonly result?: unknown;
}

/** A proxy may have sent a request twice: how long the ledger may take to show the first copy. */
const searchMs = 600_000;

/** The documents that `sponsor` sends, for a manifest of trusted documents. */
export const sponsorDocuments = {
  reserve: `mutation($gasBudget:UInt53!,$reserveDurationSecs:Int!,$idempotencyKey:String){\
reserveGas(gasBudget:$gasBudget,reserveDurationSecs:$reserveDurationSecs,idempotencyKey:$idempotencyKey){\
reservationId sponsorAddress gasBudget gasCoins{objectId version digest}expiresAt state}}`,
  transaction: `mutation($kind:Base64!,$sender:String!,$gasBudget:UInt53,$reserveDurationSecs:Int!,$idempotencyKey:String){\
sponsorTransaction(transactionKind:$kind,sender:$sender,gasBudget:$gasBudget,reserveDurationSecs:$reserveDurationSecs,idempotencyKey:$idempotencyKey){\
bytes:txBytes digest reservation{\
reservationId sponsorAddress gasBudget gasCoins{objectId version digest}expiresAt state}}}`,
  execute: `mutation($reservationId:ID!,$txBytes:Base64!,$userSig:Base64!,$idempotencyKey:String){\
executeTx(reservationId:$reservationId,txBytes:$txBytes,userSig:$userSig,idempotencyKey:$idempotencyKey){\
digest outcome effects{status{status error}}}}`,
  // Some ledgers have the first of these two fields, the others the second.
  lookUp: 'query($digest:String!){found:transactionBlock(digest:$digest){digest}}',
  lookUpTransaction: 'query($digest:String!){found:transaction(digest:$digest){digest}}',
};

export function createSponsor({ request }: Pick<Requests, 'request'>): Sponsor {
  const running: Record<string, Promise<unknown> | undefined> = {};

  const run = async (options: SponsorOptions<unknown>): Promise<unknown> => {
    const {
      kind,
      sender,
      store,
      storeKey,
      gasBudget,
      reserveDurationSecs = 60,
      sign,
      execute = sponsorDocuments.execute,
      onStep,
    } = options;
    let text = await store?.getItem(storeKey);
    // Not `crypto.randomUUID`, which pages over plain HTTP do not have.
    let kept: Kept = { key: crypto.getRandomValues(Uint32Array.of(0, 0, 0, 0)).join() };
    const keep = (entry: Kept, method: 'add' | 'setItem' = 'setItem') => {
      kept = entry;
      text = JSON.stringify(kept);
      return store?.[method]?.(storeKey, text);
    };
    /** Unless another run signed, finished or started again. */
    const isOurs = async () => ((await store?.getItem(storeKey)) ?? text) === text;
    const forget = async () => (await isOurs()) && store?.removeItem(storeKey);
    if (!text) {
      if ((await keep(kept, store?.add && 'add')) === false) return run(options);
    } else {
      try {
        kept = JSON.parse(text);
        if (!kept.key) throw kept;
      } catch {
        // Reported once: then the app decides whether to start again.
        await store?.removeItem(storeKey);
        throw new Error(`Damaged ${storeKey}: ${text}`);
      }
    }
    if (kept.result) return kept.result;
    let mayHaveRun = Boolean(kept.signed);

    if (!kept.signed) {
      onStep?.('reserve');
      let idempotencyKey = kept.key;
      const document = sponsorDocuments[kind ? 'transaction' : 'reserve'];
      const reserve = () =>
        request(document, { kind, sender, gasBudget, reserveDurationSecs, idempotencyKey }, options);
      let given: Given;
      let reservation: Given['reservation'];
      // All runs of this entry derive the same keys.
      for (; ; idempotencyKey += '+') {
        const data = await repeat(reserve, options).catch(async (error) => {
          if (error.retry === 'never') await forget();
          throw error;
        });
        [given] = Object.values(data as Record<string, Given>) as [Given];
        reservation = given.reservation ?? given;
        if (reservation.state !== 'EXPIRED') break;
      }
      onStep?.('sign');
      const { bytes, signature, digest }: SignedTransaction = { ...given, ...(await sign(given as never)) };
      // If both sign now, the gateway executes one of them.
      if (!(await isOurs())) return run(options);
      await keep({
        key: idempotencyKey,
        reservationId: reservation.reservationId,
        signed: { bytes, signature, digest },
      });
    }

    const { key, reservationId, signed } = kept as Kept & { signed: SignedTransaction };
    onStep?.('execute');
    const result = await repeat(async () => {
      try {
        const variables = { reservationId, txBytes: signed.bytes, userSig: signed.signature, idempotencyKey: key };
        return ((await request(execute, variables, options)) as Executed).executeTx;
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
        const { code, retry, data, extensions } = error;
        const executed = (data as Executed | null)?.executeTx;
        if (executed) return executed;
        const isRejected = /^SPONSOR_/.test(code);
        const isGone = code === 'RESERVATION_NOT_FOUND';
        const isFinal = isRejected || isGone || retry === 'never';
        // A conflict proves that a transaction was sent under this key. A reservation that is gone may have been spent by a copy
        // of the request, unless the gateway itself rejected the argument.
        mayHaveRun ||= isGone
          ? !extensions.argument
          : isFinal
            ? code === 'IDEMPOTENCY_CONFLICT'
            : retry !== 'backoff' || code === 'INTERNAL_SERVER_ERROR';
        let found: unknown;
        const digest = signed.digest ?? extensions.digest;
        // Another digest is the transaction of another caller.
        if (mayHaveRun && (isFinal || retry === 'look-up') && digest && digest === (extensions.digest ?? digest)) {
          const untilMs = isGone ? Date.now() + searchMs : 0;
          const look = async () => {
            const data = await request(sponsorDocuments.lookUp, { digest }, options).catch((failure) => {
              if (failure.retry !== 'never') throw failure;
              return request(sponsorDocuments.lookUpTransaction, { digest }, options);
            });
            found = (data as { found: unknown }).found && { digest, outcome: 'RECOVERED' };
            if (!found && Date.now() < untilMs) throw error;
          };
          // The last look comes after the end.
          await repeat(look, options, untilMs + 120_000);
          mayHaveRun = !isGone;
        }
        if (isRejected) mayHaveRun = false;
        if (found || isFinal) return found || { error };
        throw error;
      }
    }, options);
    const { error } = result as { error?: GatewayError };
    if (error) {
      // A new call may start again, unless an earlier request may have executed the transaction.
      if (!mayHaveRun) await forget();
      throw error;
    }
    try {
      await keep({ key, result });
    } catch {
      // The store is full. A repeated call gets the same result from the gateway.
    }
    onStep?.('done');
    return result;
  };

  return <Result>(options: SponsorOptions<Result>) => {
    const { storeKey } = options;
    const start = () => run(options as SponsorOptions<unknown>);
    if (!storeKey) return start() as Promise<Result>;
    const name = `ledger-gateway ${storeKey}`;
    const locks = (globalThis as { navigator?: { locks?: Locks } }).navigator?.locks;
    // Another tab may sponsor the same transaction: wait for its result.
    running[name] ??= (locks ? locks.request(name, start) : start()).finally(() => delete running[name]);
    return running[name] as Promise<Result>;
  };
}

/** What `sign` gets: a reservation, or a transaction with its reservation. */
interface Given extends GasReservation, Pick<SignedTransaction, 'bytes'> {
  readonly state: string;
  readonly reservation?: Given;
}

interface Executed {
  readonly executeTx?: object | null;
}

/** The Web Locks API, which pages have over HTTPS and on localhost. */
interface Locks {
  request<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
}
