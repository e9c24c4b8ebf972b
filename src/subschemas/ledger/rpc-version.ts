/** The ledger's full build version, as last seen in its response header. */
export interface RpcVersion {
  /** `0.0.0-unknown` before the first sight. */
  readonly current: string;
  /** Notes what an answer's header said; anything but one plain token is ignored, so that it can be echoed safely. */
  observe(header: string | string[] | undefined): void;
}

export const unknownRpcVersion = '0.0.0-unknown';
const plausible = /^[\w.+-]{1,100}$/;

export function createRpcVersion(onChange: (version: string, previous: string) => void = () => {}): RpcVersion {
  let current = unknownRpcVersion;
  return {
    get current() {
      return current;
    },
    observe(header) {
      if (typeof header !== 'string' || header === current || !plausible.test(header)) return;
      const previous = current;
      current = header;
      onChange(current, previous);
    },
  };
}
