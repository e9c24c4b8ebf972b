import { hash256 } from '../../transactions/digest.ts';
import { toAddress } from '../../transactions/ledger-bcs.ts';
import type { CallParameter, CallSignature } from '../execution/ledger-view.ts';
import type { StructDefinition } from '../graphql/moves/struct-definitions.ts';
import { toWellKnownAddress } from '../transactions/address.ts';

/** The Move packages that exist from the start, with the signatures of their functions. */
export interface DevnetContracts {
  readonly packages: {
    readonly core: string;
    readonly market: string;
    readonly dex: string;
    readonly arena: string;
    readonly tokens: string;
  };
  readonly goldType: string;
  readonly silverType: string;
  /** Names of modules by package. */
  readonly modules: Readonly<Record<string, readonly string[]>>;
  describeCall(target: string): CallSignature | undefined;
  /** A struct of one of the packages, by `package::module::Name`. */
  describeStruct(name: string): StructDefinition | undefined;
}

/**
 * The packages of a devnet of a given seed. `core::events` defines an event that `market` and `arena` emit, so the module
 * that emits an event and the one that defines its type can be told apart.
 */
export function createDevnetContracts(seed: number): DevnetContracts {
  const id = (name: string) => toAddress(hash256(Buffer.from(`devnet package ${seed} ${name}`)));
  const packages = { core: id('core'), market: id('market'), dex: id('dex'), arena: id('arena'), tokens: id('tokens') };
  const { core, market, dex, arena, tokens } = packages;
  const newObject = `${core}::events::NewObject`;

  const calls = new Map<string, CallSignature>([
    [`${market}::listings::create`, call('board object, item address, price u64', newObject)],
    [`${market}::listings::buy`, call('board object, item address, price u64', `${market}::listings::ItemSold`)],
    [`${market}::offers::place_bid`, call('board object, item address, bid u64', `${market}::offers::BidPlaced`)],
    [
      `${dex}::pool::swap`,
      call('pool object, amount_in u64, min_out u64', `${dex}::pool::SwapExecuted`, { generic: true }),
    ],
    [`${dex}::pool::add_liquidity`, call('pool object, amount u64', `${dex}::pool::LiquidityAdded`, { generic: true })],
    [`${arena}::hero::mint`, call('name string, power u64', newObject, { returns: `${arena}::hero::Hero` })],
    [
      `${arena}::battle::finish`,
      call('winner address, loser address, damage u64, round u8', `${arena}::battle::BattleFinished`),
    ],
    [`${arena}::battle::greet`, call('message string', `${arena}::battle::Greeted`)],
  ]);

  const structs = new Map<string, StructDefinition>([
    // No layout, since several functions emit it, each with other fields.
    [newObject, toStruct(['COPY', 'DROP'], null)],
    [`${core}::events::Registry`, toStruct(['KEY'], [objectId])],
    [`${market}::listings::Board`, toStruct(['KEY'], [objectId])],
    [`${dex}::pool::Pool`, { ...toStruct(['KEY'], [objectId]), isPhantom: true }],
    [`${tokens}::gold::GOLD`, toStruct(['DROP'], [])],
    [`${tokens}::silver::SILVER`, toStruct(['DROP'], [])],
  ]);
  for (const { eventType, parameters, returns, isEventGeneric } of calls.values()) {
    const fields = parameters.map(({ name, type }) => ({ name, type: moveTypes[type] }));
    const event = toStruct(['COPY', 'DROP'], fields);
    if (eventType !== newObject) structs.set(eventType, { ...event, isPhantom: isEventGeneric });
    if (returns !== null) structs.set(returns, toStruct(['KEY', 'STORE'], [objectId, ...fields]));
  }

  return {
    packages,
    goldType: `${tokens}::gold::GOLD`,
    silverType: `${tokens}::silver::SILVER`,
    modules: {
      [core]: ['events'],
      [market]: ['listings', 'offers'],
      [dex]: ['pool'],
      [arena]: ['battle', 'hero'],
      [tokens]: ['gold', 'silver'],
    },
    describeCall: (target) => calls.get(target),
    describeStruct: (name) => structs.get(name),
  };
}

const objectId = { name: 'id', type: `${toWellKnownAddress(2)}::object::UID` };

const moveTypes = {
  u8: 'u8',
  u64: 'u64',
  bool: 'bool',
  address: 'address',
  string: `${toWellKnownAddress(1)}::string::String`,
  object: `${toWellKnownAddress(2)}::object::ID`,
} as const satisfies Record<CallParameter['type'], string>;

function toStruct(abilities: StructDefinition['abilities'], fields: StructDefinition['fields']): StructDefinition {
  return { abilities, fields, isPhantom: false };
}

/** @param parameters `name type` pairs */
function call(
  parameters: string,
  eventType: string,
  extras: { generic?: boolean; returns?: string } = {},
): CallSignature {
  return {
    parameters: parameters.split(', ').map((pair) => {
      const [name = '', type = ''] = pair.split(' ');
      return { name, type: type as CallParameter['type'] };
    }),
    eventType,
    isEventGeneric: extras.generic ?? false,
    returns: extras.returns ?? null,
  };
}
