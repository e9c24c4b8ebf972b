export const unknownRpcVersion = '0.0.0-unknown';
const plausible = /^[\w.+-]{1,100}$/;

export type RpcVersion = ReturnType<typeof createRpcVersion>;

/** The ledger's full build version, as last seen in its response header. */
export function createRpcVersion(onChange: (version: string, previous: string) => void = () => {}) {
  let current = unknownRpcVersion;
  return {
    /** `0.0.0-unknown` until the first response. */
    get current(): string {
      return current;
    },
    /** Takes the header of a response. Ignores anything but one plain token, so that the version can be echoed safely. */
    observe(header: string | string[] | undefined): void {
      if (typeof header !== 'string' || header === current || !plausible.test(header)) return;
      const previous = current;
      current = header;
      onChange(current, previous);
    },
  };
}
