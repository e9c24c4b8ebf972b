/** Sends an operation to a gateway; resolves with the whole response. */
// biome-ignore lint/suspicious/noExplicitAny: answers are asserted on, not programmed against
export type Ask = (query: string, variables?: object) => Promise<any>;

/** The variables of an execution, and the digest it will have. */
export interface PreparedExecution {
  readonly order: { readonly id: string; readonly tx: string; readonly sig: string };
  readonly digest: string;
}

export const executeOrder =
  'mutation ($id: ID!, $tx: Base64!, $sig: Base64!, $key: String) { executeTx(reservationId: $id, txBytes: $tx, userSig: $sig, idempotencyKey: $key) { digest outcome effects { status { status } raw } } }';

/** Reserves gas, and lets the simulated network sign a transaction that pays with it. */
export async function prepareExecution(ask: Ask): Promise<PreparedExecution> {
  const reserved = await ask(
    'mutation { reserveGas(gasBudget: 50000000, reserveDurationSecs: 60) { reservationId sponsorAddress gasCoins { objectId version digest } } }',
  );
  if (!reserved.data?.reserveGas) throw new Error(`nothing was reserved: ${JSON.stringify(reserved)}`);
  const { reservationId, sponsorAddress, gasCoins } = reserved.data.reserveGas;
  const signed = await ask(
    /* GraphQL */ `query ($sponsor: LedgerAddress!, $coins: [DevnetGasCoinInput!]!) {
      devnetSignTransaction(sponsorAddress: $sponsor, gasCoins: $coins, gasBudget: 50000000) { txBytes userSig digest }
    }`,
    { sponsor: sponsorAddress, coins: gasCoins },
  );
  const { txBytes, userSig, digest } = signed.data.devnetSignTransaction;
  return { order: { id: reservationId, tx: txBytes, sig: userSig }, digest };
}
