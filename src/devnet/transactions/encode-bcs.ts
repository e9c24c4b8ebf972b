import { type BcsType, BcsWriter } from '@mysten/bcs';

/** The canonical bytes of a value. Throws a `TypeError` for one that is not of the type. */
export function encodeBcs<Input>(
  type: Pick<BcsType<unknown, Input>, 'write' | 'serializedSize'>,
  value: Input,
): Uint8Array {
  const writer = new QuickWriter({ initialSize: type.serializedSize(value) ?? 512 });
  type.write(value, writer);
  return writer.toBytes();
}

/**
 * The library's writer makes a bigint and two lists for every length and every variant. This one writes a single byte
 * at once: of the tens of thousands in a start, almost all are one byte.
 */
class QuickWriter extends BcsWriter {
  override writeULEB(value: number): this {
    return value < 0x80 ? this.write8(value) : super.writeULEB(value);
  }
}
