/**
 * What a node of the ledger says of a transaction that it will not even sign, as the sponsor passes it on. Each sentence
 * means that the transaction did not run: for one that ran, a node answers its effects without checking it again. And it
 * cannot run later: only the sponsor has all signatures, and it gives up after such an answer.
 *
 * Left out on purpose, because each may be said of a transaction that ran or is about to:
 * - objects at another version, deleted, or with another digest: the transaction itself may have changed them;
 * - objects reserved for, or locked by, another transaction: that may be this one under way;
 * - already finalised with other signatures: it ran;
 * - timeouts, overload, whatever the node calls transient, and faults of its own.
 *
 * Only numbers and ids may vary in a sentence. Names, abort messages and words of a signer are written by others, who could
 * forge a refusal with them.
 */
const number = '\\d{1,40}';
const id = '0x[0-9a-fA-F]{1,64}';
const version = '(?:None|Some\\(SequenceNumber\\((?:0x[0-9a-fA-F]{1,16}|\\d{1,20})\\)\\))';
const word = '[A-Za-z]{1,40}';

/** Final, because price, budget and payment are checked against bounds of the network or the gas coins named. */
const gas = [
  `Gas price ${number} under reference gas price \\(RGP\\) ${number}`,
  `Gas price cannot exceed ${number}(?: ${word})?`,
  `Gas budget: ${number} is lower than min: ${number}`,
  `Gas budget: ${number} is higher than max: ${number}`,
  `Balance of gas object ${number} is lower than the needed amount: ${number}`,
  'Gas object does not have enough balance to cover minimal gas spend',
  'Transaction gas payment missing',
  `Object ${id} is not a gas object`,
  `Gas object is not an owned object with owner: (?:Immutable|(?:Address|Object)Owner\\(${id}\\)|Shared(?: \\{ initial_shared_version: (?:SequenceNumber\\()?${number}\\)? \\})?)`,
  `Gas object ${id} is not an owned object of ${id}, its owner: (?:${id}|${word})`,
  `Gas object ${id} is not a coin of type ${id}(?:::\\w{1,128}){2}`,
  'Transaction kind does not support Sponsored Transaction',
];

/** Objects that are not there, or are not the sender's to use; at the very version that the transaction names. */
const objects = [
  `Could not find the referenced object ${id} at version ${version}`,
  `Dependent package not found on-chain: ${id}`,
  `Transaction was not signed by the correct sender: Object ${id} is owned by account address ${id}, but given owner/signer address is ${id}`,
  `Object ${id} is owned by object ${id}\\. Objects owned by other objects cannot be used as input arguments`,
  `Object ${id} is shared and cannot be used as an owned input`,
  `Object ${id} is a system object and cannot be accessed by user transactions`,
  `A move object is expected, instead a move package is passed: ${id}`,
  `A move package is expected, instead a move object is passed: ${id}`,
  'Object used as shared is not shared',
  'Object used as owned is not owned',
  'Mutable shared or read-only shared object expected: the object is not shared',
  'Wrong initial version given for shared object',
  'The shared object starting version does not match the version provided by the transaction',
  'Mutable parameter provided, immutable parameter expected',
  'Immutable parameter provided, mutable parameter expected',
];

/** The transaction's own form, which no state of the ledger changes; and its end, after which no node takes it. */
const form = [
  "The transaction inputs contain duplicated ObjectRef's",
  `Mutable object ${id} cannot appear more than one in one transaction`,
  `Size limit exceeded: [a-z][a-z0-9 /_-]{0,100} is ${number}`,
  'TransferObjects, MergeCoin, and Publish cannot have empty arguments\\. If MakeMoveVec has empty arguments, it must have a type specified',
  `Empty command input: ${word} needs at least one argument`,
  'Empty input: a transaction needs at least one command',
  `${number} max publish/upgrade commands allowed, ${number} provided`,
  'Transaction is not supported: only validators send system transactions',
  'Transaction Expired',
];

/** Signatures that do not hold, or are too few or too many, for these bytes. */
const signatures = [
  `Expect ${number} signer signatures but got ${number}`,
  `Required Signature from ${id} is absent \\[(?:"${id}"(?:, "${id}"){0,15})?\\]`,
  '(?:Signature is not valid|Value was not signed by the correct sender): [A-Za-z][A-Za-z ]{0,200}',
];

const sentence = `(?:(?:Error checking transaction input objects|Invalid user signature): )?(?:${[...gas, ...objects, ...form, ...signatures].join('|')})`;
/** Nodes gather what their validators said, each on a line of its own or after commas. */
const gathered =
  'Transaction (?:execution|validator signing) failed due to issues with transaction inputs, please review the errors and try again:(?: |\\n- )';
const refusal = new RegExp(`^(?:${gathered})?${sentence}(?:(?:, |\\n- )${sentence})*\\.?$`);

/** What a cryptographic library says of a signature is nobody's contract, and may name machines: it is not shown. */
const signatureRefusal =
  /^(?:Error checking transaction input objects: )?(Invalid user signature|Signature is not valid|Value was not signed by the correct sender): [^,\n]{1,400}$/;

/** A JSON-RPC error as the sponsor's client library writes it, in Rust's notation. */
const rpcError = /^ErrorObject \{ code: ([A-Za-z]+(?:\(-?\d{1,6}\))?), message: "((?:[^"\\]|\\.)*)", data: None \}$/s;
/** "The client's input is at fault", and the codes that older nodes give the same sentences. Never those for "try again". */
const finalCodes = new Set(['ServerError(-32002)', 'ServerError(-32000)', 'ServerError(-32602)', 'InvalidParams']);
/** No sentence known here, nor a few of them together, is longer. */
const maxLength = 4_000;

/**
 * The words of a node that refused a transaction for good, safe to show; `null` for any other text.
 * @param text as the sponsor gives it, in the envelope of its client library or without
 */
export function readNodeRefusal(text: string): string | null {
  if (text.length > maxLength) return null;
  const bare = text.replace(/^RPC call failed: /, '');
  const [, code, escaped] = rpcError.exec(bare) ?? [];
  if (code !== undefined && !finalCodes.has(code)) return null;
  const said = escaped === undefined ? bare : unescaped(escaped);
  if (refusal.test(said)) return said;
  return signatureRefusal.exec(said)?.[1] ?? null;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, letter: string) => (letter === 'n' ? '\n' : letter));
}
