export const unknownRpcVersion = '0.0.0-unknown';
const plausible = /^[\w.+-]{1,100}$/;

export type RpcVersion = ReturnType<typeof createRpcVersion>;

/** The ledger's full build version, as last seen in its response header. */
export function createRpcVersion(onChange: (version: string, previous: string) => void = () => {}) {
  const version = {
    /** `0.0.0-unknown` until the first response. */
    current: unknownRpcVersion,
    /** Takes the header of a response. Ignores anything but one plain token, so that the version can be echoed safely. */
    observe(header: string | string[] | undefined): void {
      if (typeof header !== 'string' || header === version.current || !plausible.test(header)) return;
      const previous = version.current;
      version.current = header;
      onChange(header, previous);
    },
  };
  return version;
}
