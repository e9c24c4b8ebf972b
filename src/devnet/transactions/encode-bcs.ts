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
 * The library's writer, which makes a bigint and two lists of every length and every variant: of the tens of thousands a
 * devnet's start writes, almost all are one byte.
 */
class QuickWriter extends BcsWriter {
  override writeULEB(value: number): this {
    return value < 0x80 ? this.write8(value) : super.writeULEB(value);
  }
}
