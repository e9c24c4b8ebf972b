/** The parts of a Move struct that its abilities and the layout of its values depend on. */
export interface StructDefinition {
  /** The abilities the struct declares. `phantom` parameters take none of them away. */
  readonly abilities: readonly MoveAbility[];
  /** In order; `null` where they are not known. `T0`, `T1`, … stand for type arguments. Types in full, `UID` apart. */
  readonly fields: readonly { readonly name: string; readonly type: string }[] | null;
  /** Are all its type parameters `phantom`, so that they affect no value? */
  readonly isPhantom: boolean;
}

export type MoveAbility = 'COPY' | 'DROP' | 'KEY' | 'STORE';

const library = `0x${'1'.padStart(64, '0')}`;
const framework = `0x${'2'.padStart(64, '0')}`;
const system = `0x${'3'.padStart(64, '0')}`;

const uid = `${framework}::object::UID`;
const id = `${framework}::object::ID`;
const text = `${library}::string::String`;

/** @param fields `name type` pairs */
function struct(abilities: string, fields: readonly string[], isPhantom = false): StructDefinition {
  return {
    abilities: abilities.split(' ').map((name) => name.toUpperCase() as MoveAbility),
    fields: fields.map((field) => {
      const [name = '', type = ''] = field.split(' ');
      return { name, type };
    }),
    isPhantom,
  };
}

/** Structs of the packages that every network has. */
export const frameworkStructs: ReadonlyMap<string, StructDefinition> = new Map([
  [text, struct('copy drop store', ['bytes vector<u8>'])],
  [`${library}::option::Option`, struct('copy drop store', ['vec vector<T0>'])],
  [id, struct('copy drop store', ['bytes address'])],
  [uid, struct('store', [`id ${id}`])],
  [`${framework}::balance::Balance`, struct('store', ['value u64'], true)],
  [`${framework}::coin::Coin`, struct('key store', [`id ${uid}`, `balance ${framework}::balance::Balance<T0>`], true)],
  [
    `${framework}::coin::CoinMetadata`,
    struct(
      'key store',
      [
        `id ${uid}`,
        'decimals u8',
        `name ${text}`,
        `symbol ${text}`,
        `description ${text}`,
        `icon_url ${library}::option::Option<${text}>`,
      ],
      true,
    ),
  ],
  [`${framework}::clock::Clock`, struct('key', [`id ${uid}`, 'timestamp_ms u64'])],
  [`${framework}::ledger::LEDGER`, struct('drop', ['dummy_field bool'])],
  [`${framework}::dynamic_field::Field`, struct('key', [`id ${uid}`, 'name T0', 'value T1'], true)],
  [
    `${framework}::package::UpgradeCap`,
    struct('key store', [`id ${uid}`, `package ${id}`, 'version u64', 'policy u8']),
  ],
  ...systemState(),
]);

function systemState(): [string, StructDefinition][] {
  const fields = ['epoch u64', 'protocol_version u64', 'reference_gas_price u64', 'epoch_start_timestamp_ms u64'];
  return [
    [`${system}::system_state::SystemState`, struct('key', [`id ${uid}`, ...fields])],
    [`${system}::system_state::SystemEpochInfoEvent`, struct('copy drop', fields)],
  ];
}
