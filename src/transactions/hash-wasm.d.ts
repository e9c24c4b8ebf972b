/** The package has types for its main module only; these cover the one hash that is used, a twentieth of it. */
declare module 'hash-wasm/dist/blake2b.umd.min.js' {
  /** Any number of hashes, one after the other. */
  interface Hasher {
    init(): Hasher;
    update(data: Uint8Array): Hasher;
    digest(outputType: 'binary'): Uint8Array;
  }

  const wasm: {
    /** @param bits of the hash */
    createBLAKE2b(bits: number): Promise<Hasher>;
  };
  export = wasm;
}
