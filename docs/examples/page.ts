import { request } from 'graphql-request';
import { Events } from './operations.ts';
import { sayHello as withIota } from './sponsor-with-iota.ts';
import { sayHello as withSui } from './sponsor-with-sui.ts';

const gateway = new URLSearchParams(location.search).get('gateway') ?? 'http://127.0.0.1:4000/graphql';
const output = document.querySelector('output');
const list = document.querySelector('ol');

async function say(sayHello: typeof withIota | typeof withSui): Promise<void> {
  output?.replaceChildren('Reserving gas, signing, executing …');
  const executed = await sayHello(gateway);
  output?.replaceChildren(`${executed?.outcome} ${executed?.digest}`);
  const { queryEvents } = await request(gateway, Events, { filter: { moveEvent: 'SayHelloEvent' }, count: 5 });
  const items = queryEvents?.edges.map(({ node }) => {
    const item = document.createElement('li');
    item.append(`${node.id} from ${node.sender}`);
    return item;
  });
  list?.replaceChildren(...(items ?? []));
}

for (const button of document.querySelectorAll('button')) {
  button.addEventListener('click', () => {
    say(button.dataset.sdk === 'sui' ? withSui : withIota).catch((error: Error) =>
      output?.replaceChildren(error.message),
    );
  });
}
