import { gatewayError } from '../errors/gateway-error.ts';
import type { PushedItems } from '../upstream/operation-context.ts';
import type { EvenShares, Quota, QuotaGroup, QuotaShare } from '../upstream/quota.ts';
import { LiveChannel, type Presenter } from './channel.ts';
import { Feed, type FeedOptions, type JoinFleet } from './feed.ts';
import type { History, HistoryCalls } from './history.ts';
import type { LiveSource, ResumePoint } from './live-source.ts';
import { LiveStream, type Subscriber } from './live-stream.ts';
import { PageJudge, unreadableItem } from './position-reader.ts';
import { OncePerMinute, type Progress, type StallReport, watchStalls } from './progress.ts';
import { retryAfterMs, type StreamQuota } from './stream-quota.ts';

export interface LiveHubOptions<Item> extends Omit<FeedOptions<Item>, 'join' | 'history' | 'onRejected'> {
  readonly streamQuota: StreamQuota;
  readonly readerQuota: Quota;
  /** Calls that read history, for all streams of the process. */
  readonly historyCalls: HistoryCalls;
  /** Milliseconds for which a feed without followers is kept, for clients that reconnect. */
  readonly graceMs: number;
  /** Called when a page is accepted in spite of a fault, described in words; at most once a minute for each. */
  readonly onFaultyPageAccepted: (fault: string) => void;
  /** Called for each item of an unknown form that a reader leaves out. */
  readonly onUnreadable: () => void;
  /** Called for readers and streams that make no progress. */
  readonly onStall: (report: StallReport) => void;
  /** Payloads that all channels together may keep. */
  readonly made: EvenShares;
  /** Shares the reading of each query with other processes. */
  readonly join?: ((query: string) => JoinFleet<Item>) | undefined;
}

export interface LiveQuery<Item> {
  /** Streams with equal texts share a reader. */
  readonly query: string;
  readonly source: () => LiveSource<Item>;
}

export interface OpenLiveStream<Item, Payload> extends LiveQuery<Item> {
  /** The query for all items, used where no other reader may be opened; `null` = the upstream has none. */
  readonly everything: LiveQuery<Item> | null;
  /** Streams with equal texts deliver the same items. */
  readonly filter: string;
  readonly presenter: () => Presenter<Item, Payload>;
  readonly after: ResumePoint | null;
  /** How many streams it counts as: more than 1 if its filter is expensive to match. */
  readonly weight: number;
  readonly caller: string;
  /** The streams, and the readers, of all visitors of its key. */
  readonly groups?: { readonly streams: QuotaGroup; readonly readers: QuotaGroup } | undefined;
  /** Called each time everything up to a position has been delivered. */
  readonly onQuiet?: Subscriber['onQuiet'];
}

export type LiveHub<Item, Payload> = ReturnType<typeof createLiveHub<Item, Payload>>;

interface OpenChannel<Item, Payload> {
  readonly filter: string;
  readonly channel: LiveChannel<Item, Payload>;
  followers: number;
}

interface OpenFeed<Item, Payload> {
  readonly query: string;
  readonly feed: Feed<Item>;
  readonly channels: Map<string, OpenChannel<Item, Payload>>;
  /** `null`: the reader of all items, which is not counted. */
  readonly quotaShare: QuotaShare | null;
  readonly opener: string;
  streams: number;
  ownStreams: number;
  cancelEnd: () => void;
}

/** What a stream is counted in. */
interface HubSubscriber<Item, Payload> extends Subscriber {
  readonly open: OpenFeed<Item, Payload>;
  readonly followed: OpenChannel<Item, Payload>;
  readonly share: Pick<QuotaShare, 'leave'>;
}

/** Streams of one kind of items. Each query of the upstream is read once, however many follow it. */
export function createLiveHub<Item, Payload>(options: LiveHubOptions<Item>) {
  const { clock, streamQuota, readerQuota, graceMs, lostAfterMs } = options;
  const feeds = new Map<string, OpenFeed<Item, Payload>>();
  type Stream = LiveStream<Item, Payload, HubSubscriber<Item, Payload>>;
  const streams = new Set<Stream>();
  let isStopping = false;
  let stopWatching = () => {};
  const reported = new OncePerMinute(clock);
  const onFaultyPageAccepted = (fault: string) => {
    if (fault === unreadableItem) options.onUnreadable();
    if (reported.isDue(fault)) options.onFaultyPageAccepted(fault);
  };

  /** The progress of all readers, and of the streams that are not live. */
  function* allProgress(): Iterable<Progress> {
    for (const { feed } of feeds.values()) yield feed.progress;
    for (const { progress } of streams) if (progress) yield progress;
  }

  const historyOf = (query: string, source: LiveSource<Item>): History<Item> => ({
    judge: new PageJudge(clock, onFaultyPageAccepted),
    pageAfter: (position, requester, upTo) =>
      options.historyCalls.get(
        [query, position?.key, position?.mark, upTo?.key].join('\n'),
        (shared) => source.after(position, shared, upTo),
        requester,
      ),
  });

  /** A reader of the stream's own query or, if no further one may be opened, the reader of everything. */
  function chooseFeed(request: OpenLiveStream<Item, Payload>): () => OpenFeed<Item, Payload> {
    const { query, everything, caller, groups } = request;
    const known = feeds.get(query);
    if (known) return () => known;
    if (query !== everything?.query && !readerQuota.boundOf(caller, 1, groups?.readers))
      return () => openFeed(request, caller, true, groups?.readers);
    if (everything) return () => feeds.get(everything.query) ?? openFeed(everything, caller, false);
    throw gatewayError('UNAVAILABLE', 'This gateway is at its limit of live readers.', { retryAfterMs });
  }

  function openFeed(
    { query, source }: LiveQuery<Item>,
    caller: string,
    isCounted: boolean,
    group?: QuotaGroup,
  ): OpenFeed<Item, Payload> {
    const read = source();
    const feedOptions = {
      ...options,
      history: historyOf(query, read),
      join: options.join?.(query),
      onRejected(reason: Error) {
        forget(made);
        for (const stream of streams) if (stream.feed === made.feed) options.turns.add(() => stream.fail(reason));
        options.turns.add(() => end(made));
      },
    };
    const made: OpenFeed<Item, Payload> = {
      query,
      feed: new Feed(read, feedOptions),
      channels: new Map(),
      quotaShare: isCounted ? readerQuota.take(caller, 1, group) : null,
      opener: caller,
      streams: 0,
      ownStreams: 0,
      cancelEnd: () => {},
    };
    if (feeds.size === 0) stopWatching = watchStalls(clock, allProgress, options.onStall);
    feeds.set(query, made);
    return made;
  }

  /** @param change 1 for a stream that begins, -1 for one that ends */
  function countStream(open: OpenFeed<Item, Payload>, caller: string, change: 1 | -1): void {
    open.streams += change;
    if (caller === open.opener) open.ownStreams += change;
    // A reader without streams still counts for its opener: otherwise a caller could open any number in sequence.
    if (open.ownStreams === 0 && open.streams > 0) open.quotaShare?.leaveCaller();
  }

  function forget(open: OpenFeed<Item, Payload>): void {
    if (feeds.get(open.query) === open) feeds.delete(open.query);
    if (feeds.size === 0) stopWatching();
  }

  function end(open: OpenFeed<Item, Payload>): void {
    open.cancelEnd();
    forget(open);
    for (const { channel } of open.channels.values()) channel.close();
    open.feed.close();
    open.quotaShare?.leave();
  }

  function channelOf(open: OpenFeed<Item, Payload>, request: OpenLiveStream<Item, Payload>) {
    const { filter, presenter } = request;
    let found = open.channels.get(filter);
    if (!found) {
      const history = open.query === request.query ? undefined : historyOf(request.query, request.source());
      found = { filter, channel: new LiveChannel(open.feed, presenter(), options, history), followers: 0 };
      open.channels.set(filter, found);
    }
    found.followers += 1;
    return found;
  }

  const streamOptions = {
    clock,
    lostAfterMs,
    onEnd(stream: Stream): void {
      const { open, followed, share, caller } = stream.owner;
      streams.delete(stream);
      share.leave();
      countStream(open, caller, -1);
      followed.followers -= 1;
      if (followed.followers > 0) return;
      open.channels.delete(followed.filter);
      followed.channel.close();
      // A closed reader has ended already.
      if (open.channels.size > 0 || feeds.get(open.query) !== open) return;
      open.cancelEnd = clock.after(graceMs, () => end(open));
    },
  };

  return {
    get readers(): number {
      return feeds.size;
    },
    get replayBytes(): number {
      let bytes = 0;
      for (const { feed } of feeds.values()) bytes += feed.bytes;
      return bytes;
    },
    /**
     * @throws `RATE_LIMITED` or `UNAVAILABLE` if the caller or the process has too many streams, or the process too many readers and
     * the stream needs one of its own; or if the gateway is stopping
     */
    open(request: OpenLiveStream<Item, Payload>): PushedItems<Payload> {
      const { after, weight, caller, onQuiet } = request;
      if (isStopping) throw gatewayError('UNAVAILABLE', 'This gateway is stopping. Connect again.');
      const chosen = chooseFeed(request);
      const share = streamQuota.take(caller, weight, request.groups?.streams);
      const open = chosen();
      open.cancelEnd();
      countStream(open, caller, 1);
      const followed = channelOf(open, request);
      const owner: HubSubscriber<Item, Payload> = { caller, onQuiet, open, followed, share };
      const stream: Stream = new LiveStream(followed.channel, after, owner, streamOptions);
      streams.add(stream);
      return stream;
    },
    /** Ends every stream with a resume point, in turns, since there may be thousands. No more are opened. */
    stop(): void {
      isStopping = true;
      for (const stream of streams) options.turns.add(() => stream.stop());
    },
    close(): void {
      for (const open of [...feeds.values()]) end(open);
    },
  };
}
