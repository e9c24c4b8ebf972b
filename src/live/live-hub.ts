import { gatewayError } from '../errors/gateway-error.ts';
import { Channel, type Presenter } from './channel.ts';
import type { Clock } from './clock.ts';
import { Feed, type FeedOptions, type JoinFleet } from './feed.ts';
import type { LiveSource, ResumePoint } from './live-source.ts';
import { LiveStream, type LiveStreamOptions } from './live-stream.ts';
import { OncePerMinute, type Progress, type StallReport, watchStalls } from './progress.ts';
import type { Shares } from './shares.ts';
import type { StreamPlaces } from './stream-places.ts';

export interface LiveHubOptions<Item> extends Omit<FeedOptions<Item>, 'join'> {
  readonly clock: Clock;
  readonly places: StreamPlaces;
  /** For so many milliseconds a feed goes on that nobody follows: who comes back soon finds it there. */
  readonly graceMs: number;
  /** Told of readers and streams that make no progress. */
  readonly onStall: (report: StallReport) => void;
  /** Items that all channels together may keep as they were made. */
  readonly made: Shares;
  /** Has each query read together with other processes. */
  readonly join?: ((query: string) => JoinFleet<Item>) | undefined;
}

export interface OpenLiveStream<Item, Payload> {
  /** The same for all streams that one query of the upstream can serve. */
  readonly query: string;
  readonly source: () => LiveSource<Item>;
  /** The same for all streams that are told the same. */
  readonly filter: string;
  readonly presenter: () => Presenter<Item, Payload>;
  readonly after: ResumePoint | null;
  /** How many places it takes: 1, or more where its filter is dear to match. */
  readonly weight: number;
  /** Whose stream it is, for the bound of one caller. */
  readonly caller: string;
  /** Called each time everything up to a place has been told, and nothing is on its way. */
  readonly onQuiet?: LiveStreamOptions['onQuiet'];
}

/** Streams of one kind of items. Each query of the upstream is read once, however many follow it. */
export interface LiveHub<Item, Payload> {
  /** @throws `RATE_LIMITED` or `UNAVAILABLE` if the caller, or everybody, has too many, or the gateway is stopping */
  open(stream: OpenLiveStream<Item, Payload>): AsyncGenerator<Payload, undefined>;
  /** Has every stream end, each with a point to go on from. No more are opened. */
  stop(): void;
  /** Ends every reader. */
  close(): void;
  /** Readers at this moment. */
  readonly readers: number;
}

interface OpenFeed<Item, Payload> {
  readonly feed: Feed<Item>;
  readonly channels: Map<string, { readonly channel: Channel<Item, Payload>; followers: number }>;
  cancelEnd: () => void;
}

export function createLiveHub<Item, Payload>(options: LiveHubOptions<Item>): LiveHub<Item, Payload> {
  const { clock, places, graceMs, lostAfterMs } = options;
  const feeds = new Map<string, OpenFeed<Item, Payload>>();
  const streams = new Set<LiveStream<Item, Payload>>();
  let isStopping = false;
  let stopWatching = () => {};
  const taken = new OncePerMinute(clock);
  const onPageTaken = (fault: string) => {
    if (taken.isDue(fault)) options.onPageTaken(fault);
  };

  /** Those that may wait for something else than news. */
  function* allProgress(): Iterable<Progress> {
    for (const { feed } of feeds.values()) yield feed.progress;
    for (const { progress } of streams) if (progress) yield progress;
  }

  function openFeed(query: string, source: () => LiveSource<Item>): OpenFeed<Item, Payload> {
    const known = feeds.get(query);
    if (known) return known;
    const made = {
      feed: new Feed(source(), { ...options, onPageTaken, join: options.join?.(query) }),
      channels: new Map(),
      cancelEnd: () => {},
    };
    if (feeds.size === 0) stopWatching = watchStalls(clock, allProgress, options.onStall);
    feeds.set(query, made);
    return made;
  }

  function end(query: string, open: OpenFeed<Item, Payload>): void {
    open.cancelEnd();
    if (feeds.get(query) === open) feeds.delete(query);
    if (feeds.size === 0) stopWatching();
    for (const { channel } of open.channels.values()) channel.close();
    open.feed.close();
  }

  return {
    get readers() {
      return feeds.size;
    },
    open({ query, source, filter, presenter, after, weight, caller, onQuiet }) {
      if (isStopping) throw gatewayError('UNAVAILABLE', 'This gateway is stopping. Connect again.');
      const leavePlace = places.take(caller, weight);
      const open = openFeed(query, source);
      open.cancelEnd();
      const followed = open.channels.get(filter) ?? {
        channel: new Channel(open.feed, presenter(), options),
        followers: 0,
      };
      open.channels.set(filter, followed);
      followed.followers += 1;
      const { channel } = followed;
      const onEnd = () => {
        streams.delete(stream);
        leavePlace();
        followed.followers -= 1;
        if (followed.followers > 0) return;
        open.channels.delete(filter);
        channel.close();
        if (open.channels.size > 0) return;
        open.cancelEnd = clock.after(graceMs, () => end(query, open));
      };
      const stream: LiveStream<Item, Payload> = new LiveStream(channel, { clock, lostAfterMs, after, onEnd, onQuiet });
      streams.add(stream);
      return stream;
    },
    stop() {
      isStopping = true;
      for (const stream of streams) stream.stop();
    },
    close() {
      for (const [query, open] of [...feeds]) end(query, open);
    },
  };
}
