/** Faults that are named in messages and in the log. */
const maxFaults = 20;

/** The ledger's schema cannot be served as it is. */
export class SchemaRefusedError extends Error {
  override readonly name: string = 'SchemaRefusedError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[], says = "The ledger's schema is not valid") {
    const omitted = faults.length - maxFaults;
    const shown = [...faults.slice(0, maxFaults), ...(omitted > 0 ? [`and ${omitted} more`] : [])];
    super(`${says}:\n${shown.map((each) => `  ${each}`).join('\n')}`);
    this.faults = shown;
  }
}

/** The ledger's schema and the gateway's define the same name: merging would silently drop one. */
export class SchemaCollisionError extends SchemaRefusedError {
  override readonly name = 'SchemaCollisionError';

  constructor(collisions: readonly string[]) {
    super(collisions, "The ledger's schema collides with the gateway's own");
  }

  get collisions(): readonly string[] {
    return this.faults;
  }
}
