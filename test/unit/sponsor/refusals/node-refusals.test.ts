import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readNodeRefusal } from '../../../../src/sponsor/node-refusal.ts';

const finals = [
  'Gas price 1 under reference gas price (RGP) 1000',
  'Gas price cannot exceed 100000',
  'Gas price cannot exceed 100000 nanos',
  'Gas budget: 1 is lower than min: 1000000',
  'Gas budget: 60000000000 is higher than max: 50000000000',
  'Balance of gas object 2943736 is lower than the needed amount: 3040136',
  'Gas object does not have enough balance to cover minimal gas spend',
  'Transaction gas payment missing',
  'Object 0x5 is not a gas object',
  'Gas object is not an owned object with owner: Immutable',
  'Could not find the referenced object 0x0494e5cf17473a41b8f51bb0f2871fbf28f27e1d890d165342edea0033f8d35e at version None',
  'Could not find the referenced object 0x5 at version Some(SequenceNumber(899729259))',
  'Dependent package not found on-chain: 0xd0e',
  'Transaction was not signed by the correct sender: Object 0x1 is owned by account address 0x2, but given owner/signer address is 0x3',
  'Object 0x1 is owned by object 0x2. Objects owned by other objects cannot be used as input arguments',
  'A move object is expected, instead a move package is passed: 0x2',
  'Object used as shared is not shared',
  "The transaction inputs contain duplicated ObjectRef's",
  'Size limit exceeded: maximum commands in a programmable transaction is 1024',
  'Transaction Expired',
  'Expect 1 signer signatures but got 2',
  'Required Signature from 0x1 is absent ["0x2", "0x3"]',
  'Signature is not valid: Fail to verify user sig',
];

/** May have run, or may still: what is known of them is only that nobody knows. */
const ambiguous = [
  'Object ID 0x5 Version 7 Digest 5fX2xzFeULF5XhHLu3iLNotiKiR5bu8CVwJC9j5X6GBa is not available for consumption, current version: 8',
  'Object ID 0x5 Version 0x192ad1b5 Digest HefdTart is not available for consumption, current version: 0x192ad1b6',
  'Transaction needs to be rebuilt because object 0x5 version 0x7 is unavailable for consumption',
  'Invalid Object digest for object 0x5. Expected digest : 5fX2xz',
  'Object deleted at reference (0x5, SequenceNumber(7), 5fX2xz)',
  'Could not find the referenced object 0x5 as the asked version SequenceNumber(9) is higher than the latest SequenceNumber(8)',
  'Failed to sign transaction by a quorum of validators because one or more of its objects is equivocated until the next epoch. Other transactions locking these objects:\n- 5fX2xz (stake 50.0)',
  'Failed to sign transaction by a quorum of validators because one or more of its objects is reserved for another transaction. Other transactions locking these objects:\n- 5fX2xz (stake 50.0)',
  'Object (0x5, SequenceNumber(7), 5fX2xz) already locked by a different transaction: TransactionDigest(9xYz)',
  'The transaction is already finalized but with different user signatures',
  'Transaction timed out before reaching finality',
  'Transaction failed to reach finality with transient error after 10 attempts.',
  'Transaction is not processed because 5000 of validators by stake are overloaded with certificates pending execution.',
  'Signature is not valid, but a retry may result in a valid one: clock',
  'Internal error occurred while executing transaction.',
  'Too many requests',
];

const debug = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
const wrapped = (message: string, code = 'ServerError(-32002)') =>
  `RPC call failed: ErrorObject { code: ${code}, message: "${debug(message)}", data: None }`;
const gathered = (how: 'execution' | 'validator signing') =>
  `Transaction ${how} failed due to issues with transaction inputs, please review the errors and try again:`;

describe('a final rejection of a node', () => {
  it.each(finals)('is recognized in all its forms: %s', (text) => {
    const forms = [
      text,
      `Error checking transaction input objects: ${text}`,
      `${gathered('execution')} ${text}.`,
      `${gathered('validator signing')}\n- ${text}`,
    ];
    for (const form of forms)
      for (const said of [form, `RPC call failed: ${form}`, wrapped(form), wrapped(form, 'InvalidParams')])
        expect(readNodeRefusal(said)?.message).toBe(form);
  });

  it('is recognized if validators gave several reasons, all final', () => {
    const line = fc.constantFrom(...finals);
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), (reasons) => {
        const lines = `${gathered('validator signing')}\n- ${reasons.join('\n- ')}`;
        const commas = `${gathered('execution')} ${reasons.join(', ')}.`;
        expect(readNodeRefusal(wrapped(lines))?.message).toBe(lines);
        expect(readNodeRefusal(wrapped(commas))?.message).toBe(commas);
      }),
    );
  });

  it('is looked up if one of its reasons may be the work of the transaction itself', () => {
    const own = /Could not find|Dependent|not signed by the correct sender|Object (?:0x1 is owned|used)|A move|Expired/;
    for (const text of finals) expect(readNodeRefusal(text)?.needsLookUp).toBe(own.test(text));
    const [gas, object] = [finals[0], finals[11]];
    expect(readNodeRefusal(`${gathered('execution')} ${gas}, ${gas}.`)?.needsLookUp).toBe(false);
    expect(readNodeRefusal(`${gathered('execution')} ${gas}, ${object}.`)?.needsLookUp).toBe(true);
  });

  it('shows plain words of a signature’s fault only', () => {
    const said = 'Invalid user signature: Value was not equal to 1 at validator 10.0.0.7:8080';
    expect(readNodeRefusal(wrapped(said))?.message).toBe('Invalid user signature');
    expect(readNodeRefusal('Signature is not valid: key 0xabc (node 10.0.0.7)')?.message).toBe(
      'Signature is not valid',
    );
  });
});

describe('a transaction that may have run', () => {
  it.each(ambiguous)('is not taken for a rejection: %s', (text) => {
    for (const head of ['', 'Error checking transaction input objects: ', `${gathered('execution')} `])
      for (const said of [head + text, wrapped(head + text), wrapped(`${head}${text}`, 'ServerError(-32050)')])
        expect(readNodeRefusal(said)).toBeNull();
  });

  it('is not taken for a rejection because other validators gave final reasons', () => {
    const mixed = fc.tuple(
      fc.array(fc.constantFrom(...finals), { maxLength: 3 }),
      fc.constantFrom(...ambiguous),
      fc.array(fc.constantFrom(...finals), { minLength: 1, maxLength: 3 }),
    );
    fc.assert(
      fc.property(mixed, ([before, conflict, after]) => {
        const reasons = [...before, conflict, ...after];
        const lines = `${gathered('validator signing')}\n- ${reasons.join('\n- ')}`;
        const commas = `${gathered('execution')} ${reasons.join(', ')}.`;
        for (const said of [lines, commas, wrapped(lines), wrapped(commas)]) expect(readNodeRefusal(said)).toBeNull();
      }),
    );
  });

  it.each(['ServerError(-32050)', 'ServerError(-32001)', 'InternalError', 'ServerError(-32603)', 'ServerIsBusy'])(
    'includes everything under %s',
    (code) => {
      for (const text of finals) expect(readNodeRefusal(wrapped(text, code))).toBeNull();
    },
  );

  it('includes final words inside a foreign message', () => {
    const around = fc.string({ minLength: 1, maxLength: 40 }).filter((text) => /[^\s.]/.test(text));
    fc.assert(
      fc.property(fc.constantFrom(...finals), around, fc.boolean(), (text, other, before) => {
        const said = before ? `${other}${text}` : `${text} \u00ab${other}\u00bb`;
        fc.pre(!/^(?:RPC call failed|Error checking|Invalid user)/.test(other) && !finals.includes(said));
        // A signature's fault goes on in words of a library, and a number or an id that goes on is another one.
        fc.pre(before || !text.startsWith('Signature'));
        expect(readNodeRefusal(said)).toBeNull();
      }),
    );
  });

  it.each([
    'MoveAbort(0x5::m, 1) "Gas price 1 under reference gas price (RGP) 1000"',
    'ErrorObject { code: ServerError(-32002), message: "Gas price 1 under reference gas price (RGP) 1000", data: Some(RawValue({"5fX": ["0x5"]})) }',
    'ErrorObject { code: ServerError(-32050), message: "x", data: None }: ErrorObject { code: ServerError(-32002), message: "Transaction Expired", data: None }',
    'Required Signature from 0x1 is absent ["0x2", "is not available for consumption"]',
    'Gas price cannot exceed 5 mist, Object ID 0x5 is not available',
    `Could not find the referenced object 0x${'5'.repeat(65)} at version None`,
    '',
  ])('is %s', (text) => expect(readNodeRefusal(text)).toBeNull());

  it('is classified in constant time for a message of any length', () => {
    const long = `${gathered('execution')} ${`${finals[0]}, `.repeat(100_000)}x`;
    expect(readNodeRefusal(long)).toBeNull();
    expect(readNodeRefusal(wrapped('\\'.repeat(1_900)))).toBeNull();
    expect(readNodeRefusal(`Size limit exceeded: ${'a is '.repeat(700)}`)).toBeNull();
  });
});
