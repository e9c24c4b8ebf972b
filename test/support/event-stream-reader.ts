/** One block of an event stream: fields by name. A block with only a comment is empty. */
export type EventBlock = Readonly<Record<string, string>>;

/** A response read as it arrives, without a client library. */
export interface EventStreamReader {
  readonly status: number;
  readonly headers: Headers;
  /** Everything received so far. */
  readonly blocks: EventBlock[];
  /** The payloads of the `next` events, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
  readonly results: any[];
  /** The last event id received. */
  readonly lastId: string | undefined;
  /** Did the stream end with a `complete` event? */
  readonly isComplete: boolean;
  /** Did the stream end in any way? */
  readonly isOver: boolean;
  leave(): Promise<void>;
}

export async function readEventStream(
  url: string,
  { headers = {}, ...init }: RequestInit & { readonly headers?: Record<string, string> } = {},
): Promise<EventStreamReader> {
  const controller = new AbortController();
  const response = await fetch(url, {
    ...init,
    headers: { accept: 'text/event-stream', ...headers },
    signal: controller.signal,
  });
  const blocks: EventBlock[] = [];
  let isOver = false;
  const read = async () => {
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString('utf8');
      for (let at = text.indexOf('\n\n'); at >= 0; at = text.indexOf('\n\n')) {
        blocks.push(toBlock(text.slice(0, at)));
        text = text.slice(at + 2);
      }
    }
  };
  const reading = read()
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  return {
    status: response.status,
    headers: response.headers,
    blocks,
    get results() {
      return blocks.filter(({ event }) => event === 'next').map(({ data = '' }) => JSON.parse(data));
    },
    get lastId() {
      return blocks.findLast(({ id }) => id !== undefined)?.id;
    },
    get isComplete() {
      return blocks.at(-1)?.event === 'complete';
    },
    get isOver() {
      return isOver;
    },
    async leave() {
      controller.abort();
      await reading;
    },
  };
}

function toBlock(text: string): EventBlock {
  const fields = text.split('\n').flatMap((line) => {
    const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(fields);
}
