// The graph as one would write it by hand on any GraphQL server: each root field of the ledger forwards what is selected
// beneath it, each gas coin asks for its own object. What is sent is worked out once per field of a document.
import { readFileSync } from 'node:fs';
import { buildSchema, isIntrospectionType, isObjectType, print, visit } from 'graphql';
import { Pool } from 'undici';

export function createForwardingSchema(upstreamUrl) {
  const pool = new Pool(upstreamUrl, { connections: 128 });
  const call = async (method, path, body) => {
    const headers = { 'content-type': 'application/json', authorization: 'Bearer bench' };
    const response = await pool.request({ method, path, headers, body: body && JSON.stringify(body) });
    return response.body.json();
  };
  const ask = async (body) => {
    const { data, errors } = await call('POST', '/graphql', body);
    if (errors) throw new Error(errors[0].message);
    return data;
  };

  const read = (name) => readFileSync(`schema/${name}.graphql`, 'utf8');
  const schema = buildSchema(
    [
      read('ledger'),
      read('sponsor').replaceAll(/^type (Query|Mutation) /gm, 'extend type $1 '),
      'extend type ReservedGasCoin { object: Object }',
    ].join('\n'),
  );
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    const isRoot = type === schema.getQueryType() || type === schema.getMutationType();
    for (const field of Object.values(type.getFields())) {
      // Below a forwarded field values stand under the names the client gave them.
      field.resolve = isRoot
        ? forwardField
        : (source, _args, _context, { path, fieldName }) => source[path.key] ?? source[fieldName];
    }
  }

  const { sponsor } = schema.getQueryType().getFields();
  sponsor.resolve = () => ({});
  schema.getType('Sponsor').getFields().health.resolve = () => call('GET', '/');
  schema.getMutationType().getFields().reserveGas.resolve = async (_source, { gasBudget, reserveDurationSecs }) => {
    const body = { gas_budget: gasBudget, reserve_duration_secs: reserveDurationSecs };
    const { result } = await call('POST', '/v1/reserve_gas', body);
    return {
      reservationId: String(result.reservation_id),
      sponsorAddress: result.sponsor_address,
      gasBudget,
      gasCoins: result.gas_coins,
      expiresAt: new Date(Date.now() + reserveDurationSecs * 1000).toISOString(),
      secondsLeft: reserveDurationSecs,
      state: 'ACTIVE',
    };
  };
  schema.getType('ReservedGasCoin').getFields().object.resolve = async (coin, _args, _context, info) => {
    const { selection, rest } = textsOf(info);
    const query = `query($a:LedgerAddress!,$v:UInt53!){object(address:$a,version:$v)${selection}}${rest}`;
    return (await ask({ query, variables: { a: coin.objectId, v: coin.version } })).object;
  };
  return schema;

  async function forwardField(_source, _args, _context, info) {
    const { field, rest, definitions, variables } = textsOf(info);
    const query = `query${definitions}{${field}}${rest}`;
    const given = Object.fromEntries(variables.map((name) => [name, info.variableValues[name]]));
    return (await ask({ query, variables: given }))[info.path.key];
  }
}

const kept = new WeakMap();

/** What of the client's document has to travel with one field: its own text, its fragments, its variables. */
function textsOf({ fieldNodes: [node], fragments, operation }) {
  const known = kept.get(node);
  if (known) return known;
  const used = new Set();
  const names = new Set();
  const look = (part) =>
    visit(part, {
      Variable: ({ name }) => void names.add(name.value),
      FragmentSpread({ name }) {
        if (used.has(name.value)) return;
        used.add(name.value);
        look(fragments[name.value]);
      },
    });
  look(node);
  const defined = (operation.variableDefinitions ?? []).filter(({ variable }) => names.has(variable.name.value));
  const texts = {
    field: print(node),
    selection: node.selectionSet ? print(node.selectionSet) : '',
    rest: [...used].map((name) => print(fragments[name])).join('\n'),
    definitions: defined.length > 0 ? `(${defined.map(print).join(',')})` : '',
    variables: [...names],
  };
  kept.set(node, texts);
  return texts;
}
