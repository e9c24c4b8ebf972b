import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { base58 } from '@scure/base';
import {
  buildSchema,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  graphqlSync,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

/** Answers any document over the ledger's schema; the same question always gets the same answer. */
export type AnswerLedger = (query: string, variables: Readonly<Record<string, unknown>> | undefined) => string;

/** An object of the answer: everything below it follows from the seed. */
interface Seeded {
  readonly seed: string;
  /** What is known of it from the arguments it was asked for with: an object has the address it was found by. */
  readonly known: Readonly<Record<string, unknown>>;
  /** How many nodes a connection has. */
  readonly pageSize: number;
}

/** Bounds as real ledgers have them, but for pages, which have to hold the larger works. */
const serviceConfig: Readonly<Record<string, unknown>> = {
  availableVersions: ['2026.11'],
  maxQueryDepth: 20,
  maxQueryNodes: 300,
  maxOutputNodes: 1_000_000,
  defaultPageSize: 20,
  maxPageSize: 500,
  mutationTimeoutMs: 74_000,
  requestTimeoutMs: 40_000,
  maxTransactionPayloadSize: 174_763,
  maxQueryPayloadSize: 5_000,
};

/** A ledger that holds whatever it is asked for, over the schema in `schema/ledger.graphql`. */
export function createLedgerAnswers(projectRoot: string): AnswerLedger {
  const schema = buildSchema(readFileSync(`${projectRoot}/schema/ledger.graphql`, 'utf8'));

  const resolve: GraphQLFieldResolver<Seeded, unknown> = (source, args, _context, info) => {
    if (info.fieldName in source.known) return source.known[info.fieldName];
    const seed = `${source.seed}.${info.fieldName}`;
    const known = info.fieldName === 'serviceConfig' ? serviceConfig : args;
    const pageSize = args.first ?? args.last ?? 20;
    return valueFor(info.returnType, info.fieldName, { seed, known, pageSize }, source.pageSize);
  };

  return (query, variables) => {
    const result = graphqlSync({
      schema,
      source: query,
      rootValue: { seed: 'ledger', known: {}, pageSize: 1 } satisfies Seeded,
      variableValues: variables ?? null,
      fieldResolver: resolve,
      typeResolver: (_value, _context, _info, abstract) => schema.getPossibleTypes(abstract)[0]?.name,
    });
    return JSON.stringify(result.errors ? { data: null, ...result } : result);
  };
}

function valueFor(type: GraphQLOutputType, field: string, seeded: Seeded, listSize: number): unknown {
  if (isNonNullType(type)) return valueFor(type.ofType, field, seeded, listSize);
  if (isListType(type)) {
    const item = (index: number) => ({ ...seeded, known: {}, seed: `${seeded.seed}.${index}` });
    return Array.from({ length: listSize }, (_, index) => valueFor(type.ofType, field, item(index), 1));
  }
  if (isObjectType(type) || isAbstractType(type)) return seeded;
  if (isEnumType(type)) return type.getValues()[0]?.value;
  return scalarOf(type.name, field, createHash('sha256').update(seeded.seed).digest());
}

function scalarOf(type: string, field: string, hash: Buffer): unknown {
  const hex = hash.toString('hex');
  switch (type) {
    case 'Boolean':
      return false;
    case 'Int':
    case 'UInt53':
      return 1_000_000 + (hash.readUInt32BE() % 1_000_000);
    case 'Float':
      return 0.5;
    case 'BigInt':
      return String(1_000_000_000 + hash.readUInt32BE());
    case 'LedgerAddress':
      return `0x${hex}`;
    case 'Base64':
      return hash.toString('base64');
    case 'DateTime':
      return new Date(1_795_000_000_000 + (hash.readUInt32BE() % 1_000_000_000)).toISOString();
    case 'String':
    case 'ID':
      return textOf(field, hash, hex);
    default:
      return { amount: String(1_000_000_000 + hash.readUInt32BE()), winner: `0x${hex}`, lap: 1_000 + (hash[0] ?? 0) };
  }
}

function textOf(field: string, hash: Buffer, hex: string): string {
  if (/digest/i.test(field)) return base58.encode(hash).padEnd(44, '1');
  if (field === 'repr') return `0x${hex}::battle::BattleFinished`;
  return hex.slice(0, 8);
}
