const primitives = new Set(['bool', 'u8', 'u16', 'u32', 'u64', 'u128', 'u256', 'address', 'signer']);
/** The ledger's own limits on types. */
const maxDepth = 16;
const maxNodes = 256;
const maxCharacters = 8192;

/**
 * Parses a Move type such as `0x2::coin::Coin<0x2::ledger::LEDGER>` and returns its canonical form: full addresses, no spaces.
 * `null` if it is not a type, or nests deeper or is larger than the ledger allows.
 */
export function toCanonicalMoveType(text: string): string | null {
  if (text.length > maxCharacters) return null;
  const tokens = text.match(/[A-Za-z0-9_]+|::|[<>,]|\S/g) ?? [];
  let position = 0;
  let nodes = 0;
  const take = (expected: string) => tokens[position] === expected && ++position > 0;

  function typeArguments(depth: number): string[] | null {
    const list: string[] = [];
    do {
      const argument = type(depth + 1);
      if (argument === null) return null;
      list.push(argument);
    } while (take(','));
    return take('>') ? list : null;
  }

  function type(depth: number): string | null {
    nodes += 1;
    const head = tokens[position];
    if (head === undefined || depth > maxDepth || nodes > maxNodes) return null;
    position += 1;
    if (primitives.has(head)) return head;
    if (head === 'vector') {
      const list = take('<') ? typeArguments(depth) : null;
      return list?.length === 1 ? `vector<${list[0]}>` : null;
    }
    const path = structPath(head);
    if (path === null || !take('<')) return path;
    const list = typeArguments(depth);
    return list && `${path}<${list.join(',')}>`;
  }

  function structPath(head: string): string | null {
    const address = toCanonicalAddress(head);
    const [first, module, second, name] = tokens.slice(position, position + 4);
    if (address === null || first !== '::' || second !== '::' || !module || !name) return null;
    position += 4;
    return isMoveIdentifier(module) && isMoveIdentifier(name) ? `${address}::${module}::${name}` : null;
  }

  const whole = type(0);
  return position === tokens.length ? whole : null;
}

/** Like `toCanonicalMoveType`, for struct types only. */
export function toCanonicalStructType(text: string): string | null {
  const type = toCanonicalMoveType(text);
  return type?.startsWith('0x') ? type : null;
}

/** `0x` and 1 to 64 hex digits, written out to all 64 in lower case; `null` if it is no address. */
export function toCanonicalAddress(text: string): string | null {
  return /^0x[0-9a-fA-F]{1,64}$/.test(text) ? `0x${text.slice(2).toLowerCase().padStart(64, '0')}` : null;
}

/** A name of a Move module, function or struct. */
export function isMoveIdentifier(text: string): boolean {
  return /^([A-Za-z][A-Za-z0-9_]{0,127}|_[A-Za-z0-9_]{1,127})$/.test(text);
}
