import { type BcsReader, BcsType, type BcsWriter } from '@mysten/bcs';

/** Bytes that are of a newer kind, or of none: nothing behind this place can be read. */
export class UnknownVariantError extends TypeError {
  constructor(name: string, index: number) {
    super(`unknown ${name} ${index}`);
  }
}

interface Tagged {
  readonly kind: string;
}

type Fields<T extends Tagged, Kind> = Omit<Extract<T, { readonly kind: Kind }>, 'kind'>;

/** The part of `BcsType` used here. The whole type would be invariant in what it writes. */
interface FieldsBcs<Values> {
  readonly read: (reader: BcsReader) => Values;
  readonly write: (values: Values, writer: BcsWriter) => void;
}

type Variants<T extends Tagged> = {
  readonly [Kind in T['kind']]: readonly [index: number, fields: FieldsBcs<Fields<T, Kind>>];
};

/**
 * An enum of the ledger as a union told apart by `kind`: each variant with its index on the wire and the struct of its
 * fields. The library's own enum puts every variant under a key of its name, which costs a second object and, on
 * writing, a search through the keys. Reading an index that is not listed throws an `UnknownVariantError`.
 */
export function taggedUnion<T extends Tagged>(name: string, variants: Variants<T>): BcsType<T> {
  const entries = Object.entries(variants as Readonly<Record<string, readonly [number, FieldsBcs<object>]>>);
  const listed = entries.map(([kind, [index, fields]]) => ({ kind, index, fields }));
  const byKind = new Map(listed.map((variant) => [variant.kind, variant]));
  const byIndex: (typeof listed)[number][] = [];
  for (const variant of listed) byIndex[variant.index] = variant;
  return new BcsType<T>({
    name,
    read: (reader) => {
      const index = reader.readULEB();
      const variant = byIndex[index];
      if (!variant) throw new UnknownVariantError(name, index);
      return { kind: variant.kind, ...variant.fields.read(reader) } as T;
    },
    write: (value, writer) => {
      const variant = byKind.get(value.kind);
      if (!variant) throw new TypeError(`unknown ${name} ${value.kind}`);
      writer.writeULEB(variant.index);
      variant.fields.write(value, writer);
    },
  });
}

/** A value or `null`. The library's option reads every index but 0 and 1 as something else than it says. */
export function optional<T>(name: string, type: BcsType<T>): BcsType<T | null> {
  return new BcsType<T | null>({
    name,
    read: (reader) => {
      const index = reader.readULEB();
      if (index > 1) throw new UnknownVariantError(name, index);
      return index === 0 ? null : type.read(reader);
    },
    write: (value, writer) => {
      writer.writeULEB(value === null ? 0 : 1);
      if (value !== null) type.write(value, writer);
    },
  });
}
