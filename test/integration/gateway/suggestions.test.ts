import { describe, expect, test } from 'vitest';
import { createTestGateway } from '../../support/test-gateway.ts';

const mistakes: readonly (readonly [what: string, query: string, variables?: object])[] = [
  ['a field', '{ chainIdentifer }'],
  ['an argument', '{ epoch(idd: 1) { epochId } }'],
  ['a type', '{ ... on Queri { chainIdentifier } }'],
  ['an input field', '{ transactionBlocks(filter: {functoin: "x"}) { nodes { digest } } }'],
  [
    'an input field of a variable',
    'query ($f: EventFilter) { events(filter: $f) { nodes { timestamp } } }',
    { f: { sendr: '0x1' } },
  ],
];

describe('suggestions for misspelt names', () => {
  test('are sent if introspection is allowed', async () => {
    await using gateway = await createTestGateway();
    const { errors } = await gateway.query('{ chainIdentifer }');
    expect(errors?.[0]?.message).toContain('Did you mean "chainIdentifier"?');
  });

  test('are not sent if introspection is off', async () => {
    await using gateway = await createTestGateway({ INTROSPECTION: 'false' });
    for (const [what, query, variables] of mistakes) {
      const { errors, text } = await gateway.query(query, variables);
      expect(errors?.length, what).toBeGreaterThan(0);
      expect(text, what).not.toContain('Did you mean');
    }
    expect((await gateway.query('{ __schema { types { name } } }')).errors?.[0]?.message).toContain('introspection');
  });
});
