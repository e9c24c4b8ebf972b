import { Transaction } from '@iota/iota-sdk/transactions';
import { toBase64 } from '@iota/iota-sdk/utils';
import { createClient } from 'ledger-gateway-client';
import { resolveObjects } from 'ledger-gateway-client/build';
import { account, signTransaction } from './wallet.js';

const search = new URLSearchParams(location.search);
const client = createClient({ url: search.get('gateway') ?? 'http://127.0.0.1:4000/graphql' });
const output = document.querySelector('output');

async function readClock() {
  const tx = new Transaction();
  // Finds versions of objects through the gateway: no second endpoint.
  tx.addBuildPlugin(resolveObjects(client));
  tx.moveCall({ target: '0x2::clock::timestamp_ms', arguments: [tx.object('0x6')] });
  return client.sponsor({
    kind: toBase64(await tx.build({ onlyTransactionKind: true })),
    sender: account.address,
    sign: ({ bytes }) => signTransaction({ transaction: bytes }),
  });
}

document.querySelector('button').addEventListener('click', async () => {
  output.textContent = 'Reserving gas, signing, executing …';
  const text = await readClock().then(
    ({ outcome, digest }) => `${outcome} ${digest}`,
    (error) => `${error.code}: ${error.message}`,
  );
  output.textContent = text;
});
