import { RingLink } from './ring-link.ts';

/*
 * The ways in which callers share what is limited. A quota is a fixed maximum, for each and for all: for things that a
 * caller asks for by name, such as streams. A room always has space for one more caller: for memory and connections, which
 * one caller may use alone while nobody else needs them. Even shares are a third way, for members that belong to no caller, such as
 * the readers of live streams: each keeps its newest data and drops its own oldest, so the room would have nothing to choose.
 */

export interface QuotaOptions {
  /** Maximum in this process. */
  readonly max: number;
  /** Maximum of one caller. */
  readonly maxPerCaller: number;
}

/** Callers that are bounded together, such as the visitors of one key. */
export interface QuotaGroup {
  readonly key: string;
  /** Of all of them; `null` = no bound. */
  readonly max: number | null;
  /** Of each; `null` = as for any caller. */
  readonly perVisitor: number | null;
}

/** A bound that a caller has reached. */
export interface ReachedBound {
  readonly of: 'caller' | 'group' | 'gateway';
  readonly max: number;
}

/** Bounds how many of something, such as streams or sockets, exist at once: in this process and per caller. */
export class Quota {
  readonly #options: QuotaOptions;
  /** By caller, and by group; without those that have none. */
  readonly #ofCallers = new Map<string, number>();
  readonly #ofGroups = new Map<string, number>();
  #all = 0;
  /** How many shares were taken and not left. */
  shares = 0;

  constructor(options: QuotaOptions) {
    this.#options = options;
  }

  /** The bound that prevents the caller from taking this many more; `null` = none does. */
  boundOf(caller: string, count = 1, group?: QuotaGroup): ReachedBound | null {
    const { max, maxPerCaller } = this.#options;
    const own = group?.perVisitor ?? maxPerCaller;
    if ((this.#ofCallers.get(caller) ?? 0) + count > own) return { of: 'caller', max: own };
    const { max: ofGroup = null } = group ?? {};
    if (group && ofGroup !== null && (this.#ofGroups.get(group.key) ?? 0) + count > ofGroup)
      return { of: 'group', max: ofGroup };
    return this.#all + count > max ? { of: 'gateway', max } : null;
  }

  /** Counts them without checking the bounds. */
  take(caller: string, count = 1, group?: QuotaGroup): QuotaShare {
    this.#all += count;
    this.shares += 1;
    this.change(caller, group?.key, count);
    return new QuotaShare(this, caller, group?.key, count);
  }

  /** Changes what the caller and its group have. */
  change(caller: string, groupKey: string | undefined, by: number): void {
    add(this.#ofCallers, caller, by);
    if (groupKey !== undefined) add(this.#ofGroups, groupKey, by);
  }

  /** Ends a share that its caller has left. */
  giveBack(count: number): void {
    this.#all -= count;
    this.shares -= 1;
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}

/** What a caller has taken of a quota. A class, since thousands of streams and sockets have one each. */
export class QuotaShare {
  readonly #quota: Quota;
  readonly #caller: string;
  readonly #groupKey: string | undefined;
  readonly #count: number;
  #hasCallerLeft = false;
  #hasLeft = false;

  constructor(quota: Quota, caller: string, groupKey: string | undefined, count: number) {
    this.#quota = quota;
    this.#caller = caller;
    this.#groupKey = groupKey;
    this.#count = count;
  }

  /** The share no longer counts for its caller, but still for the process. Safe to call twice. */
  leaveCaller(): void {
    if (this.#hasCallerLeft) return;
    this.#hasCallerLeft = true;
    this.#quota.change(this.#caller, this.#groupKey, -this.#count);
  }

  /** Gives the share back. Safe to call twice. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.leaveCaller();
    this.#quota.giveBack(this.#count);
  }
}

/** A function that does its work at most once. */
function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

/**
 * May a caller hold this much, of what cannot be taken back from it? There is always room for one more caller.
 * @param own what it would hold
 * @param free what is left for others. Where the last one may be used up, because it is soon given back: what is free before
 * @param timesFree 1: half of the whole if it is alone; 3: three quarters
 */
export function isWithinShare(own: number, free: number, timesFree: number): boolean {
  return own <= timesFree * free;
}

/** The part of a room that one member uses. */
export interface Place {
  /** @param size of the member now, in total */
  hold(size: number): void;
  /** Call when the member is complete, rejected or dropped. Safe to call twice. */
  leave(): void;
}

export type Room = ReturnType<typeof createRoom>;
/** A room of which one member needs a place. */
export type PlaceFor = Pick<Room, 'enter'>;

/**
 * Divides memory, or something else, between callers. Members that can be dropped use what is free. When it is full, the caller
 * that holds most loses its oldest large member: a caller loses nothing as long as it holds less than an equal share, however
 * slow it is, and a caller that fills the room loses its own.
 * @param max of all callers together
 */
export function createRoom(max: number) {
  const shares = new Map<string, Share>();
  let held = 0;
  /** The part of it that cannot be dropped. */
  let taken = 0;

  const shareOf = (caller: string): Share => {
    const known = shares.get(caller);
    if (known) return known;
    const share = new Share(caller);
    shares.set(caller, share);
    return share;
  };
  /** Counts a part that cannot be dropped. @returns `false` if it would be more than the share */
  const takeOn = (share: Share, size: number): boolean => {
    if (!isWithinShare(share.taken + size, max - taken - size, 1)) return false;
    share.taken += size;
    taken += size;
    change(share, size);
    shrink();
    return true;
  };
  const giveBack = (share: Share, size: number): void => {
    share.taken -= size;
    taken -= size;
    change(share, -size);
    forgetIfEmpty(share);
  };
  const change = (share: Share, by: number): void => {
    share.size += by;
    held += by;
  };
  const forgetIfEmpty = (share: Share): void => {
    if (share.users === 0 && share.size === 0 && share.members.isAlone) shares.delete(share.caller);
  };
  const leave = (member: Member, share: Share): void => {
    if (member.isAlone) return;
    member.remove();
    change(share, -member.size);
    forgetIfEmpty(share);
  };
  /** @returns `false` if no member can be dropped */
  const dropOne = (): boolean => {
    let most: Share | null = null;
    for (const share of shares.values()) if (!share.members.isAlone && share.size > (most?.size ?? -1)) most = share;
    if (!most) return false;
    const member = most.oldestLarge();
    leave(member, most);
    member.drop();
    return true;
  };
  const shrink = (): void => {
    while (held > max && dropOne());
  };

  return {
    /** What all members use now. */
    get size(): number {
      return held;
    },
    /** @param drop called at most once, if others need the room; the member has left then */
    enter(caller: string, drop: () => void): Place {
      const share = shareOf(caller);
      const member = new Member(drop);
      member.insertBefore(share.members);
      return {
        hold(size) {
          if (member.isAlone) return;
          change(share, size - member.size);
          member.size = size;
          shrink();
        },
        leave: () => leave(member, share),
      };
    },
    /**
     * Takes a part that cannot be dropped. Members that can be give way to it.
     * @returns gives it back, safe to call twice; `null` = it would be more than the caller's share
     */
    take(caller: string, size: number): (() => void) | null {
      const share = shareOf(caller);
      if (takeOn(share, size)) return once(() => giveBack(share, size));
      forgetIfEmpty(share);
      return null;
    },
    /** A caller's share, to take from without an allocation each time. Close it once for each opening. */
    open(caller: string): Share {
      const share = shareOf(caller);
      share.users += 1;
      return share;
    },
    close(share: Share): void {
      share.users -= 1;
      forgetIfEmpty(share);
    },
    takeOn,
    giveBack,
  };
}

/** What one caller holds. */
export class Share {
  /** All that it holds. */
  size = 0;
  /** The part of it that cannot be dropped. */
  taken = 0;
  /** How many have opened it. */
  users = 0;
  /** The ring of members that can be dropped, oldest first. */
  readonly members = new Member(() => {});
  readonly caller: string;

  constructor(caller: string) {
    this.caller = caller;
  }

  /** The oldest member of at least half the size of the largest. */
  oldestLarge(): Member {
    const ring = this.members;
    let largest = 0;
    for (let each = ring.next; each !== ring; each = each.next) largest = Math.max(largest, each.size);
    let oldest = ring.next;
    while (oldest.size < largest / 2) oldest = oldest.next;
    return oldest;
  }
}

class Member extends RingLink {
  size = 0;
  readonly drop: () => void;

  constructor(drop: () => void) {
    super();
    this.drop = drop;
  }
}

export interface EvenSharesOptions {
  readonly total: number;
  readonly least: number;
}

export type EvenShares = ReturnType<typeof createEvenShares>;

/** Divides something, such as memory, evenly among its members, each of which makes room in its own. */
export function createEvenShares({ total, least }: EvenSharesOptions) {
  const members = new Set<{ onLess?: (() => void) | undefined }>();
  return {
    /** Counts a member. @param onLess called when another member reduces the share @returns removes the member */
    enter(onLess?: () => void): () => void {
      const member = { onLess };
      members.add(member);
      for (const each of members) if (each !== member) each.onLess?.();
      return () => void members.delete(member);
    },
    share: () => Math.max(least, total / Math.max(1, members.size)),
  };
}
