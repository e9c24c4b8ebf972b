import { createElement, useState } from 'react';

const [keyItem, copiedItem] = ['ledger-gateway:api-key', 'ledger-gateway:copy-api-key'];

/** The visitor's key, which this browser tab keeps until it is closed; empty: none. */
export const apiKey = () => sessionStorage.getItem(keyItem) ?? '';

/** Did the visitor ask for credentials in copied commands? */
export const copiesCredentials = () => sessionStorage.getItem(copiedItem) === 'true';

function ApiKeyPanel() {
  const [key, setKey] = useState(apiKey);
  const [isCopied, setCopied] = useState(copiesCredentials);
  const keep = (item: string, text: string) => {
    if (text) sessionStorage.setItem(item, text);
    else sessionStorage.removeItem(item);
  };
  return createElement(
    'form',
    { className: 'api-key', onSubmit: (event: { preventDefault(): void }) => event.preventDefault() },
    createElement('h2', null, 'API key'),
    createElement('p', null, 'Sent as the header x-api-key. This browser tab forgets it when you close it.'),
    createElement('input', {
      type: 'password',
      'aria-label': 'API key',
      autoComplete: 'off',
      spellCheck: false,
      value: key,
      onChange: ({ target }: { target: HTMLInputElement }) => {
        setKey(target.value);
        keep(keyItem, target.value.trim());
      },
    }),
    createElement(
      'label',
      null,
      createElement('input', {
        type: 'checkbox',
        checked: isCopied,
        onChange: ({ target }: { target: HTMLInputElement }) => {
          setCopied(target.checked);
          keep(copiedItem, target.checked ? 'true' : '');
        },
      }),
      ' Include it, and credentials in the tab’s headers, in “Copy as curl”',
    ),
  );
}

function KeyIcon() {
  return createElement(
    'svg',
    { viewBox: '3 3 17 16', height: '1em', fill: 'none', stroke: 'currentColor', strokeWidth: 1.2 },
    createElement('path', { d: 'M14 10a5 5 0 1 0-4 4l2 2h2v2h2v2h4v-4z M7.5 7.5h.01' }),
  );
}

/** A panel of GraphiQL. */
export const apiKeyPlugin = { title: 'API key', icon: KeyIcon, content: ApiKeyPanel };
