/**
 * Sentences of a ledger node about a transaction that it refuses to sign, as the sponsor forwards them. Each means that the
 * transaction did not run, because a node answers with the effects of one that ran; where that is less than certain, the ledger is
 * asked before it is believed. And it cannot run later, because only the sponsor has all signatures, and it stops after such an
 * answer.
 *
 * Not listed, because they may also apply to a transaction that ran or is about to run:
 * - objects at another version, deleted, or with another digest: the transaction itself may have changed them;
 * - objects reserved for, or locked by, another transaction: it may be this one in flight;
 * - already finalised with other signatures: it ran;
 * - timeouts, overload, errors that the node calls transient, and its internal errors.
 *
 * Only numbers and ids may vary in a sentence. Signers control names, abort messages and other text, and could forge a
 * rejection.
 */
const number = '\\d{1,40}';
const id = '0x[0-9a-fA-F]{1,64}';
const version = '(?:None|Some\\(SequenceNumber\\((?:0x[0-9a-fA-F]{1,16}|\\d{1,20})\\)\\))';
const word = '[A-Za-z]{1,40}';

/** Final rejections of the gas price, the gas budget or the gas payment. */
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

/**
 * Objects that do not exist at the named version, or that the sender may not use; and the expiration. A node may also say this of a
 * transaction that an earlier attempt of the sponsor executed: it may have deleted, shared or given away its own objects.
 */
const state = [
  'Transaction Expired',
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

/** The form of the transaction, which does not depend on the ledger's state. */
const form = [
  "The transaction inputs contain duplicated ObjectRef's",
  `Mutable object ${id} cannot appear more than one in one transaction`,
  `Size limit exceeded: [a-z][a-z0-9 /_-]{0,100} is ${number}`,
  'TransferObjects, MergeCoin, and Publish cannot have empty arguments\\. If MakeMoveVec has empty arguments, it must have a type specified',
  `Empty command input: ${word} needs at least one argument`,
  'Empty input: a transaction needs at least one command',
  `${number} max publish/upgrade commands allowed, ${number} provided`,
  'Transaction is not supported: only validators send system transactions',
];

/**
 * Objects at another version, which may be the transaction's own work. Only final in a node's answer to a submission with a final
 * code: validators return the effects of a transaction that ran before they look at its objects.
 */
const objectVersion = '(?:0x[0-9a-fA-F]{1,16}|\\d{1,20}|SequenceNumber\\(\\d{1,20}\\))';
const digest = '[1-9A-HJ-NP-Za-km-z]{32,44}';
const versions = [
  `Object ID ${id} Version ${objectVersion} Digest ${digest} is not available for consumption, current version: ${objectVersion}`,
  `Transaction needs to be rebuilt because object ${id} version ${objectVersion} is unavailable for consumption`,
  `Invalid Object digest for object ${id}\\. Expected digest : ${digest}`,
  `Object deleted at reference \\(${id}, ${objectVersion}, ${digest}\\)`,
];

/** Signatures that are invalid for these bytes, too few or too many. */
const signatures = [
  `Expect ${number} signer signatures but got ${number}`,
  `Required Signature from ${id} is absent \\[(?:"${id}"(?:, "${id}"){0,15})?\\]`,
  '(?:Signature is not valid|Value was not signed by the correct sender): [A-Za-z][A-Za-z ]{0,200}',
];

/** Nodes collect the messages of their validators, on separate lines or separated by commas. */
const gathered =
  'Transaction (?:execution|validator signing) failed due to issues with transaction inputs, please review the errors and try again:(?: |\\n- )';
/** What a node writes before its sentence, or several of these. */
const head =
  '(?:Error checking transaction input objects|Invalid user signature|Invalid transaction|unknown error|Transaction was rejected as invalid by more than 1/3 of validator stake during submission \\(non-retriable\\)): ';

function toRefusalForm(sentences: readonly string[]): RegExp {
  const sentence = `(?:${head}){0,3}(?:${sentences.join('|')})`;
  return new RegExp(`^(?:${gathered})?${sentence}(?:(?:, |\\n- )${sentence})*\\.?$`);
}

/** No transaction that ran is told these. */
const timeless = [...gas, ...form, ...signatures];
const timelessRefusal = toRefusalForm(timeless);
const refusal = toRefusalForm([...timeless, ...state]);
const submissionRefusal = toRefusalForm([...timeless, ...state, ...versions]);

/** The text of a cryptographic library after the colon may contain anything, and is not shown. */
const signatureRefusal =
  /^(?:(?:Error checking transaction input objects|Invalid transaction): )?(Invalid user signature|Signature is not valid|Value was not signed by the correct sender): [^,\n]{1,400}$/;

/** A JSON-RPC error in Rust's notation, as the sponsor's client library writes it. */
const rpcError = /^ErrorObject \{ code: ([A-Za-z]+(?:\(-?\d{1,6}\))?), message: "((?:[^"\\]|\\.)*)", data: None \}$/s;
/** The code for invalid input, and the codes that older nodes use for the same sentences. No codes that mean "retry". */
const finalCodes = new Set(['ServerError(-32002)', 'ServerError(-32000)', 'ServerError(-32602)', 'InvalidParams']);
/** Longer than a few of the known sentences together. */
const maxLength = 4_000;

export interface NodeRefusal {
  /** Safe to show. */
  readonly message: string;
  /** If not, the node's sentence belongs in the log. */
  readonly isKnown: boolean;
  /** May a node say this of a transaction that ran? The sponsor makes up to three attempts, and may lose the answer of one. */
  readonly needsLookUp: boolean;
}

/**
 * The sentence of a node that finally rejected a transaction; `null` for any other text.
 * @param text as the sponsor forwards it, with or without the envelope of its client library
 */
export function readNodeRefusal(text: string): NodeRefusal | null {
  if (text.length > maxLength) return null;
  const unprefixed = text.replace(/^RPC call failed: /, '');
  const [, code, escaped] = rpcError.exec(unprefixed) ?? [];
  if (code !== undefined && !finalCodes.has(code)) return null;
  return readSentence(escaped === undefined ? unprefixed : unescaped(escaped), refusal);
}

/** A rejection with the part that is safe to show; `null` for any other text. */
function readSentence(text: string, known: RegExp): NodeRefusal | null {
  if (text.length > maxLength) return null;
  if (known.test(text)) return { message: text, isKnown: true, needsLookUp: !timelessRefusal.test(text) };
  const [, message] = signatureRefusal.exec(text) ?? [];
  return message === undefined ? null : { message, isKnown: true, needsLookUp: false };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, letter: string) => (letter === 'n' ? '\n' : letter));
}

/** How the sponsor begins the error of a node that it called over gRPC. The digest and the error follow. */
export const submissionError = 'execute_transaction error for ';

/**
 * gRPC codes after which the sponsor makes no further attempt, as its client library writes them. They say that the request
 * itself is wrong. After any other code, the transaction may have run: the node's answer may be lost, or come too late.
 */
const invalidArgument = ['3', 'InvalidArgument', 'Client specified an invalid argument'] as const;
const finalGrpcCodes = [
  invalidArgument,
  ['5', 'NotFound', 'Some requested entity was not found'],
  ['7', 'PermissionDenied', 'The caller does not have permission to execute the specified operation'],
  ['9', 'FailedPrecondition', "The system is not in a state required for the operation's execution"],
  ['12', 'Unimplemented', 'Operation is not implemented or not supported'],
  ['16', 'Unauthenticated', 'The request does not have valid authentication credentials'],
] as const;

/** The code comes before the message, which may contain text of the transaction. */
const grpcError =
  /^(?:server error \(code (\d{1,3})\): (.*)|grpc error: (?:status: ([A-Za-z]{1,40})|code: '(.{1,100}?)')(?:, message: "((?:[^"\\]|\\.)*)".*|, .*)?)$/s;

/** The transaction ran before. Or a proxy answered instead of the node, which an earlier attempt may have reached. */
const meansDoubt = /\balready (?:executed|finali[sz]ed)\b|^grpc-status header missing/i;

/** The node's final rejection of the transaction that was sent; `null` for any other text. */
export function readSubmissionError(text: string, digest: string | undefined): NodeRefusal | null {
  const start = `${submissionError}${digest}: `;
  const match = text.startsWith(start) ? grpcError.exec(text.slice(start.length)) : null;
  if (!match) return null;
  const [, number, plainSentence, name, description, escapedSentence = ''] = match;
  const code = finalGrpcCodes.find((spellings) =>
    spellings.some((spelling) => spelling === number || spelling === name || spelling === description),
  );
  const sentence = plainSentence ?? unescaped(escapedSentence);
  if (!code || meansDoubt.test(sentence)) return null;
  const message = `The ledger rejected the transaction (gRPC code ${code[0]}, ${code[1]}); it did not run.`;
  const shown = readSentence(sentence, submissionRefusal) ?? { message, isKnown: false, needsLookUp: true };
  // The other codes are about what the node has or does, not about the transaction.
  return code === invalidArgument ? shown : { ...shown, needsLookUp: true };
}
