import { toFullAddress } from '../../transactions/ledger-bcs.ts';
import { maxTypeDepth, primitives, type TypeTag } from '../../transactions/transaction-bcs.ts';

const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Canonical text: addresses in full, type parameters joined by a bare comma. */
export function toTypeText(tag: TypeTag): string {
  if (tag.kind === 'primitive') return tag.name;
  if (tag.kind === 'vector') return `vector<${toTypeText(tag.element)}>`;
  const { address, module, name, typeParameters } = tag.struct;
  const parameters = typeParameters.length === 0 ? '' : `<${typeParameters.map(toTypeText).join(',')}>`;
  return `${address}::${module}::${name}${parameters}`;
}

/** Accepts short addresses and spaces; throws a `TypeError` that names the text on anything that is not a Move type. */
export function parseTypeTag(text: string): TypeTag {
  const parser = { text, at: 0 };
  const tag = parseAt(parser, 1);
  skipSpaces(parser);
  if (parser.at !== text.length) throw notAType(text);
  return tag;
}

interface Parser {
  readonly text: string;
  at: number;
}

function parseAt(parser: Parser, depth: number): TypeTag {
  if (depth > maxTypeDepth) throw notAType(parser.text);
  skipSpaces(parser);
  const head = /[^<>,\s]*/y;
  head.lastIndex = parser.at;
  const word = head.exec(parser.text)?.[0] ?? '';
  parser.at += word.length;
  if (word === 'vector') {
    const [element, ...others] = parseParameters(parser, depth);
    if (element === undefined || others.length > 0) throw notAType(parser.text);
    return { kind: 'vector', element };
  }
  const primitive = primitives.find((name) => name === word);
  if (primitive) return { kind: 'primitive', name: primitive };
  const [address, module, name, extra] = word.split('::');
  if (address === undefined || module === undefined || name === undefined || extra !== undefined)
    throw notAType(parser.text);
  if (!/^0x[0-9a-fA-F]{1,64}$/.test(address) || !identifier.test(module) || !identifier.test(name))
    throw notAType(parser.text);
  return {
    kind: 'struct',
    struct: { address: toFullAddress(address), module, name, typeParameters: parseParameters(parser, depth) },
  };
}

function parseParameters(parser: Parser, depth: number): TypeTag[] {
  skipSpaces(parser);
  if (parser.text[parser.at] !== '<') return [];
  const parameters: TypeTag[] = [];
  do {
    parser.at += 1;
    parameters.push(parseAt(parser, depth + 1));
    skipSpaces(parser);
  } while (parser.text[parser.at] === ',');
  if (parser.text[parser.at] !== '>') throw notAType(parser.text);
  parser.at += 1;
  return parameters;
}

function skipSpaces(parser: Parser): void {
  while (parser.text[parser.at] === ' ') parser.at += 1;
}

function notAType(text: string): TypeError {
  return new TypeError(`Not a Move type: ${text.slice(0, 200)}`);
}
