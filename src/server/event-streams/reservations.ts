import { randomBytes } from 'node:crypto';
import { gatewayError } from '../../errors/gateway-error.ts';

export interface ReservationsOptions {
  /** Reservations and open streams together, of this process and of one caller among them. */
  readonly max: number;
  readonly maxPerCaller: number;
  /** For so many milliseconds a reservation waits for its stream to be opened. */
  readonly waitMs?: number;
}

/** Whose reservation it is. */
export interface Owner {
  readonly id: string;
  /** With whom it is counted. */
  readonly rate: { readonly key: string };
}

/** What a token stands for. */
export interface Reservation<Stream> {
  /** `null` while nobody has opened it. */
  readonly stream: Stream | null;
  /** Its stream is open: it waits no longer, and is kept until it is given up. */
  fulfil(stream: Stream): void;
  /** Its token is good for nothing any more. Safe to call twice. */
  giveUp(): void;
}

/** The tokens by which clients name the streams that carry their operations. */
export interface Reservations<Stream> {
  /** @returns a token, or why there is none */
  reserve(owner: Owner): string | ReturnType<typeof gatewayError>;
  /** `null` if there is none of this token, or it is another caller's: nobody learns which. */
  find(token: string, owner: Owner): Reservation<Stream> | null;
  /** All whose streams are open. */
  readonly streams: Iterable<Stream>;
  /** Reserves no more, and forgets those that nobody has opened. */
  close(): void;
}

const usualWaitMs = 30_000;
/** When it is worth asking again, in seconds: reservations that are not used end by then. */
const retryAfterSeconds = 10;

class OpenReservation<Stream> implements Reservation<Stream> {
  readonly owner: Owner;
  stream: Stream | null = null;
  readonly #onEnd: () => void;
  readonly #fuse: NodeJS.Timeout;
  #isOver = false;

  constructor(owner: Owner, waitMs: number, onEnd: () => void) {
    this.owner = owner;
    this.#onEnd = onEnd;
    this.#fuse = setTimeout(() => this.giveUp(), waitMs);
  }

  fulfil(stream: Stream): void {
    clearTimeout(this.#fuse);
    this.stream = stream;
  }

  giveUp(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#fuse);
    this.#onEnd();
  }
}

export function createReservations<Stream>(options: ReservationsOptions): Reservations<Stream> {
  const { max, maxPerCaller, waitMs = usualWaitMs } = options;
  const open = new Map<string, OpenReservation<Stream>>();
  /** Only callers that have some. */
  const taken = new Map<string, number>();
  let isClosed = false;

  function refusalFor(owned: number): ReturnType<typeof gatewayError> | null {
    if (isClosed) return gatewayError('UNAVAILABLE', 'This gateway is stopping. Connect again.');
    if (owned >= maxPerCaller) {
      const says = `Over the limit of ${maxPerCaller} event streams of one caller at once.`;
      return gatewayError('RATE_LIMITED', says, { retryAfterSeconds });
    }
    if (open.size < max) return null;
    return gatewayError('UNAVAILABLE', 'All event streams of this gateway are taken.', { retryAfterSeconds });
  }

  return {
    reserve(owner) {
      const { key } = owner.rate;
      const owned = taken.get(key) ?? 0;
      const refusal = refusalFor(owned);
      if (refusal) return refusal;
      const token = randomBytes(24).toString('base64url');
      taken.set(key, owned + 1);
      const forget = () => {
        open.delete(token);
        const rest = (taken.get(key) ?? 1) - 1;
        if (rest === 0) taken.delete(key);
        else taken.set(key, rest);
      };
      open.set(token, new OpenReservation(owner, waitMs, forget));
      return token;
    },
    find(token, owner) {
      const found = open.get(token);
      return found?.owner.id === owner.id ? found : null;
    },
    get streams() {
      return [...open.values()].flatMap(({ stream }) => (stream ? [stream] : []));
    },
    close() {
      isClosed = true;
      for (const each of open.values()) if (!each.stream) each.giveUp();
    },
  };
}
