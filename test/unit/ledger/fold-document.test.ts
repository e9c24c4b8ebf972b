import { parse, print, stripIgnoredCharacters } from 'graphql';
import { expect, it } from 'vitest';
import { foldDocument } from '../../../src/ledger/fold-document.ts';

function fold(text: string, variables?: Record<string, unknown>) {
  const { document, variables: kept } = foldDocument(parse(text), variables);
  return { text: stripIgnoredCharacters(print(document)), variables: kept };
}

it('writes fragments of one content once, through those they spread and the variables they use', () => {
  const merged = `query($_v0_n:Int!$_v1_n:Int!$_v1_m:Int){_v0_o:o{..._v0_F}_v1_o:o(m:$_v1_m){..._v1_F}}
    fragment _v0_F on O{..._v0_G c(first:$_v0_n)}fragment _v0_G on O{a}
    fragment _v1_F on O{..._v1_G c(first:$_v1_n)}fragment _v1_G on O{a}`;
  expect(fold(merged, { _v0_n: 1, _v1_n: 1, _v1_m: 1 })).toEqual({
    text: 'query($_v0_n:Int!$_v1_m:Int){_v0_o:o{..._v0_F}_v1_o:o(m:$_v1_m){..._v0_F}}fragment _v0_F on O{..._v0_G c(first:$_v0_n)}fragment _v0_G on O{a}',
    variables: { _v0_n: 1, _v1_m: 1 },
  });
});

it('keeps apart what differs in content, in a value, in a default, or in whether there is a value', () => {
  for (const [text, variables] of [
    ['{a{...F}b{...G}}fragment F on O{x}fragment G on O{y}', {}],
    ['{a{...F}b{...G}}fragment F on O{x}fragment G on P{x}', {}],
    ['query($a:Int$b:Int){a{...F}b{...G}}fragment F on O{x(n:$a)}fragment G on O{x(n:$b)}', { a: 1, b: 2 }],
    ['query($a:Int$b:Int=1){a{...F}b{...G}}fragment F on O{x(n:$a)}fragment G on O{x(n:$b)}', {}],
    ['query($a:Int$b:Int){a{...F}b{...G}}fragment F on O{x(n:$a)}fragment G on O{x(n:$b)}', { a: null }],
  ] as const)
    expect(fold(text, variables)).toEqual({ text, variables });
});

it('does not follow prototypes and survives fragments that spread themselves', () => {
  const text = '{a{...__proto__}b{...constructor}}fragment __proto__ on O{...__proto__}fragment constructor on O{x}';
  expect(fold(text).text).toBe(text);
});
