import type { Client } from './client.ts';

/** The part of the SDKs' `TransactionDataBuilder` that this plugin reads and completes. */
interface TransactionParts {
  readonly inputs: unknown[];
  readonly commands: readonly unknown[];
  readonly gasData: { price?: unknown };
}

/** A build plugin of `@iota/iota-sdk` and `@mysten/sui`: `transaction.addBuildPlugin(plugin)`. */
export type BuildPlugin = (
  transaction: TransactionParts,
  options: { readonly onlyTransactionKind?: boolean | undefined },
  next: () => Promise<void>,
) => Promise<void>;

interface UnresolvedObject {
  readonly objectId: string;
  readonly version?: string | number | null;
  readonly digest?: string | null;
  readonly initialSharedVersion?: string | number | null;
  readonly mutable?: boolean | null;
}

interface Input {
  readonly UnresolvedObject?: UnresolvedObject;
}

interface Argument {
  readonly Input?: number;
}

interface MoveCall {
  readonly package: string;
  readonly module: string;
  readonly function: string;
  readonly arguments: readonly Argument[];
}

interface Command {
  readonly $kind: string;
  readonly MoveCall?: MoveCall;
}

/** A parameter of a Move function, as the ledger's GraphQL gives it. */
interface Parameter {
  readonly ref?: '&' | '&mut' | null;
  readonly body: unknown;
}

interface LedgerObject {
  readonly version: number | string;
  readonly digest: string | null;
  readonly owner: {
    readonly __typename: string;
    readonly initialSharedVersion?: number | string;
    readonly startVersion?: number | string;
  } | null;
}

/** Objects of one request: their fields stay below the ledger's limits of 300 nodes and 5,000 bytes. */
const objectsPerRequest = 25;
const address = /^0x[\da-f]{1,64}$/i;
/** The ledger's clock and its randomness, which no transaction may change. */
const readOnly = /^0x0*[68]$/;
const identifier = /^\w{1,128}$/;

/**
 * Completes a transaction by the gateway alone: versions and digests of its objects, shared objects, and the gas price. The SDK
 * then needs no `client` for `build`, `sign` and `getDigest`.
 *
 * Gas payment and budget come from the reservation. Objects are read at their newest versions when the transaction is built.
 * @throws Error that names an object which the ledger does not have; GatewayError if a request fails
 */
export function resolveObjects({ request }: Pick<Client, 'request'>): BuildPlugin {
  const read = <Entity>(fields: readonly string[]): Promise<readonly (Entity | null)[]> =>
    Promise.all(
      chunks(fields).map(async (chunk) => {
        const data = await request<Readonly<Record<string, Entity | null>>>(
          `{${chunk.map((field, index) => `_${index}:${field}`).join(' ')}}`,
        );
        return chunk.map((_, index) => data[`_${index}`] ?? null);
      }),
    ).then((lists) => lists.flat());

  const readObjects = async (ids: readonly string[]): Promise<ReadonlyMap<string, LedgerObject>> => {
    const toField = (id: string, ownerFields: string) =>
      `object(address:"${id}"){version digest owner{__typename ...on Shared{initialSharedVersion}${ownerFields}}}`;
    const objects = await read<LedgerObject>(ids.map((id) => toField(id, '')));
    const found = new Map(ids.flatMap((id, index) => (objects[index] ? [[id, objects[index]] as const] : [])));
    const missing = ids.filter((id) => !found.has(id));
    if (missing.length > 0) throw new Error(`The ledger does not have ${missing.join(', ')}.`);
    // Only Sui has this kind of owner, so other networks reject a document that names it.
    const party = ids.filter((id) => found.get(id)?.owner?.__typename === 'ConsensusAddressOwner');
    const owned = await read<LedgerObject>(
      party.map((id) => toField(id, ' ...on ConsensusAddressOwner{startVersion}')),
    );
    for (const [index, id] of party.entries()) if (owned[index]) found.set(id, owned[index]);
    return found;
  };

  /** The parameters of the functions; `null` for one that the ledger does not describe. */
  const readParameters = async (
    calls: readonly MoveCall[],
  ): Promise<ReadonlyMap<string, readonly Parameter[] | null>> => {
    const targets = [...new Map(calls.map((call) => [toTarget(call), call])).entries()];
    const fields = targets.map(
      ([, call]) =>
        `object(address:"${call.package}"){asMovePackage{module(name:"${call.module}"){function(name:"${call.function}"){parameters{signature}}}}}`,
    );
    const packages = await read<PackageWithFunction>(fields).catch((error: { code?: unknown }) => {
      // The simulated network does not describe functions.
      if (error.code === 'GRAPHQL_VALIDATION_FAILED') return [];
      throw error;
    });
    return new Map(
      targets.map(([target], index) => [
        target,
        packages[index]?.asMovePackage?.module?.function?.parameters?.map(({ signature }) => signature) ?? null,
      ]),
    );
  };

  return async (transaction, { onlyTransactionKind }, next) => {
    const { inputs, gasData } = transaction;
    const commands = transaction.commands as readonly Command[];
    const unresolved = inputs.map((input) => (input as Input).UnresolvedObject);
    const isUnresolved = ({ Input: index }: Argument) => index !== undefined && unresolved[index] !== undefined;
    const calls = commands.flatMap(({ MoveCall: call }) => (call?.arguments.some(isUnresolved) ? [call] : []));
    for (const { objectId } of unresolved.filter((each) => each !== undefined)) checkText(objectId, address);
    for (const call of calls) {
      checkText(call.package, address);
      checkText(call.module, identifier);
      checkText(call.function, identifier);
    }
    const ids = unresolved.flatMap((each) => (each && !isComplete(each) ? each.objectId : []));
    const [objects, parameters, price] = await Promise.all([
      readObjects([...new Set(ids)]),
      readParameters(calls),
      gasData.price || onlyTransactionKind ? null : read<{ referenceGasPrice: string }>(['epoch{referenceGasPrice}']),
    ]);
    for (const [index, each] of unresolved.entries()) {
      if (each) inputs[index] = toInput(each, objects.get(each.objectId), usesOf(index, commands, parameters));
    }
    if (price) gasData.price = price[0]?.referenceGasPrice;
    await next();
  };
}

interface PackageWithFunction {
  readonly asMovePackage?: {
    readonly module?: {
      readonly function?: { readonly parameters?: readonly { readonly signature: Parameter }[] | null } | null;
    } | null;
  } | null;
}

/** The text becomes part of a document. */
function checkText(text: string, pattern: RegExp): void {
  if (!pattern.test(text)) throw new Error(`Not an id or a name of the ledger: ${JSON.stringify(text)}`);
}

function isComplete({ version, digest, initialSharedVersion }: UnresolvedObject): boolean {
  return Boolean(initialSharedVersion || (version && digest));
}

function toTarget(call: MoveCall): string {
  return `${call.package}::${call.module}::${call.function}`;
}

interface Uses {
  readonly mayChange: boolean;
  readonly isReceived: boolean;
}

/** A function without a description may change its arguments: the ledger accepts this for all shared objects. */
function usesOf(
  input: number,
  commands: readonly Command[],
  parameters: ReadonlyMap<string, readonly Parameter[] | null>,
): Uses {
  let [mayChange, isReceived] = [false, false];
  for (const command of commands) {
    const call = command.MoveCall;
    const args = call ? call.arguments : Object.values(command[command.$kind as never] ?? {}).flat();
    for (const [index, argument] of args.entries()) {
      if ((argument as Argument | null)?.Input !== input) continue;
      const parameter = call && parameters.get(toTarget(call))?.[index];
      mayChange ||= parameter?.ref !== '&';
      isReceived ||= isReceiving(parameter?.body);
    }
  }
  return { mayChange, isReceived };
}

/** The type of an object that is taken from another object: `0x2::transfer::Receiving<T>`. */
function isReceiving(body: unknown): boolean {
  const type = (body as { datatype?: { package: string; module: string; type: string } } | null | undefined)?.datatype;
  return type?.type === 'Receiving' && type.module === 'transfer' && /^0x0*2$/.test(type.package);
}

function toInput(given: UnresolvedObject, found: LedgerObject | undefined, { mayChange, isReceived }: Uses): object {
  const { objectId } = given;
  const sharedAt = given.initialSharedVersion ?? found?.owner?.initialSharedVersion ?? found?.owner?.startVersion;
  if (sharedAt !== undefined && sharedAt !== null) {
    const mutable = (given.mutable || mayChange) && !readOnly.test(objectId);
    const SharedObject = { objectId, initialSharedVersion: String(sharedAt), mutable };
    return { $kind: 'Object', Object: { $kind: 'SharedObject', SharedObject } };
  }
  const reference = {
    objectId,
    version: String(given.version ?? found?.version),
    digest: given.digest ?? found?.digest ?? '',
  };
  const $kind = isReceived ? 'Receiving' : 'ImmOrOwnedObject';
  return { $kind: 'Object', Object: { $kind, [$kind]: reference } };
}

function chunks<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / objectsPerRequest) }, (_, index) =>
    items.slice(index * objectsPerRequest, (index + 1) * objectsPerRequest),
  );
}
