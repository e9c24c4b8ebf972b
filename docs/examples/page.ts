import { createClient } from 'ledger-gateway/client';
import { sayHello as withIota } from './sponsor-with-iota.ts';
import { sayHello as withSui } from './sponsor-with-sui.ts';
import { NewestEvents } from './texts.ts';

const search = new URLSearchParams(location.search);
const key = search.get('key');
const client = createClient({
  url: search.get('gateway') ?? 'http://127.0.0.1:4000/graphql',
  headers: key ? { 'x-api-key': key } : {},
});
const output = document.querySelector('output');
const list = document.querySelector('ol');

async function say(sayHello: typeof withIota | typeof withSui): Promise<void> {
  output?.replaceChildren('Reserving gas, signing, executing …');
  const executed = await sayHello(client, localStorage);
  output?.replaceChildren(`${executed.outcome} ${executed.digest}`);
  // The page has shown the result: the next click is another transaction.
  localStorage.removeItem('hello');
  const filter = { moveEventModule: { package: '0xd0e', module: 'greeter' } };
  const { queryEvents } = await client.request(NewestEvents, { filter, count: 5 });
  const items = queryEvents?.nodes.map((node) => {
    const item = document.createElement('li');
    item.append(`${node.id} from ${node.sender}`);
    return item;
  });
  list?.replaceChildren(...(items ?? []));
}

const start = (sdk: string | undefined) =>
  say(sdk === 'sui' ? withSui : withIota).catch((error) => output?.replaceChildren(`${error.code}: ${error.message}`));

for (const button of document.querySelectorAll('button')) {
  button.addEventListener('click', () => void start(button.dataset.sdk));
}
// The page was reloaded before it had the result.
if (localStorage.getItem('hello')) void start('iota');
