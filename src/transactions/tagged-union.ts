import { type BcsReader, BcsType, type BcsWriter, bcs } from '@mysten/bcs';

/** The bytes have an unknown form, newer or invalid: nothing after this position can be read. */
export class NotKnownError extends TypeError {}

interface Tagged {
  readonly kind: string;
}

type Fields<T extends Tagged, Kind> = Omit<Extract<T, { readonly kind: Kind }>, 'kind'>;

/** The used part of `BcsType`, which is invariant in its input as a whole. */
interface FieldsBcs<Values> {
  readonly read: (reader: BcsReader) => Values;
  readonly write: (values: Values, writer: BcsWriter) => void;
}

type Variants<T extends Tagged> = {
  readonly [Kind in T['kind']]: readonly [index: number, fields: FieldsBcs<Fields<T, Kind>> | null];
};

/**
 * An enum of the ledger as a union discriminated by `kind`: each variant with its index on the wire and the struct of its fields, or
 * `null`. The library's own enum nests every variant under its name, which costs a second object and a search on writing. An unlisted
 * index throws a `NotKnownError`.
 */
export function taggedUnion<T extends Tagged>(name: string, variants: Variants<T>): BcsType<T> {
  const entries = Object.entries(variants as Readonly<Record<string, readonly [number, FieldsBcs<object> | null]>>);
  // Variants without fields share one object each: a transaction may contain thousands.
  const listed = entries.map(([kind, [index, fields]]) => ({ kind, index, fields, bare: Object.freeze({ kind }) }));
  const byKind = new Map(listed.map((variant) => [variant.kind, variant]));
  const byIndex: (typeof listed)[number][] = [];
  for (const variant of listed) byIndex[variant.index] = variant;
  return new BcsType<T>({
    name,
    read: (reader) => {
      const index = reader.readULEB();
      const variant = byIndex[index];
      if (!variant) throw new NotKnownError(`unknown ${name} ${index}`);
      return (variant.fields ? { kind: variant.kind, ...variant.fields.read(reader) } : variant.bare) as T;
    },
    write: (value, writer) => {
      const variant = byKind.get(value.kind);
      if (!variant) throw new TypeError(`unknown ${name} ${value.kind}`);
      writer.writeULEB(variant.index);
      variant.fields?.write(value, writer);
    },
  });
}

/** A value or `null`. The library's option misreads every index but 0 and 1. */
export function optional<T>(name: string, type: BcsType<T>): BcsType<T | null> {
  return new BcsType<T | null>({
    name,
    read: (reader) => {
      const index = reader.readULEB();
      if (index > 1) throw new NotKnownError(`unknown ${name} ${index}`);
      return index === 0 ? null : type.read(reader);
    },
    write: (value, writer) => {
      writer.writeULEB(value === null ? 0 : 1);
      if (value !== null) type.write(value, writer);
    },
  });
}

/**
 * A list up to a length that the networks allow. Elements are read one by one, since the library allocates the whole list first.
 * @param name plural
 */
export function listOf<T>(name: string, item: BcsType<T>, max: number): BcsType<readonly T[]> {
  const vector = bcs.vector(item);
  return new BcsType<readonly T[]>({
    name: vector.name,
    read: (reader) => {
      const length = reader.readULEB();
      if (length > max) throw new NotKnownError(`${length} ${name} where ${max} are the most that is known`);
      const items: T[] = [];
      for (let count = 0; count < length; count += 1) items.push(item.read(reader));
      return items;
    },
    write: (items, writer) => vector.write(items, writer),
  });
}
