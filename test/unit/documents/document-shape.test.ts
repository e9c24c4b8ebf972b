import fc from 'fast-check';
import { type DocumentNode, Kind, parse, print, visit } from 'graphql';
import { describe, expect, test } from 'vitest';
import { toShape } from '../../../src/documents/document-shape.ts';

/** The document and its strings, as the parser sees them. */
function parsed(text: string): { readonly outline: string; readonly strings: readonly string[] } | null {
  let document: DocumentNode;
  try {
    document = parse(text, { noLocation: true });
  } catch {
    return null;
  }
  const strings: string[] = [];
  const emptied = visit(document, {
    StringValue(node) {
      strings.push(node.value);
      return { kind: Kind.STRING, value: '' };
    },
  });
  return { outline: print(emptied), strings };
}

describe('the shape of a text', () => {
  test('is the text with its strings taken out', () => {
    expect(toShape('{ a(x: "one", y: ["", "0x2::a::B<C>"]) { b } }')).toEqual({
      outline: '{ a(x: "", y: ["", ""]) { b } }',
      strings: ['one', '', '0x2::a::B<C>'],
    });
  });

  test.each([
    ['nothing to take out', '{ a(x: 1) }'],
    ['an escape', '{ a(x: "one\\ntwo") }'],
    ['an escaped quotation mark', '{ a(x: "one\\"two") }'],
    ['a block string', '{ a(x: """one""") }'],
    ['an empty block string', '{ a(x: """""") }'],
    ['strings with nothing between them', '{ a(x: ["one""two"]) }'],
    ['a comment', '{ a(x: "one") # "two"\n }'],
    ['a sign that begins comments', '{ a(x: "one#two") }'],
    ['letters of other alphabets', '{ a(x: "één") }'],
    ['an invisible mark', '\uFEFF{ a(x: "one") }'],
    ['half a character', '{ a(x: "\uD800") }'],
    ['a control character', '{ a(x: "\u0000") }'],
    ['a line end in a string', '{ a(x: "one\ntwo") }'],
    ['a tab in a string', '{ a(x: "one\ttwo") }'],
    ['a string that does not end', '{ a(x: "one) }'],
    ['a string at the end', '{ a } "one"'],
  ])('is not taken of a text with %s', (_, text) => {
    expect(toShape(text)).toBeNull();
  });

  test('says of any text what the parser says of it', () => {
    const piece = fc.constantFrom(
      ...[
        '"',
        '"',
        '"',
        '""',
        '"""',
        'a',
        '{',
        '}',
        '(x:',
        ')',
        '[',
        ']',
        ' ',
        ' ',
        '\n',
        '\\',
        '\\"',
        '#',
        'é',
        '0x2',
      ],
    );
    const text = fc.oneof(
      fc.array(piece, { maxLength: 20 }).map((parts) => parts.join('')),
      fc.array(piece, { maxLength: 9 }).map((parts) => `{a(x:"${parts.join('')}",y:[${parts.join(' ')}])}`),
    );
    let shaped = 0;
    fc.assert(
      fc.property(text, (given) => {
        const shape = toShape(given);
        const whole = parsed(given);
        if (!shape || !whole) {
          // What is no document has an outline that is none.
          if (shape) expect(parsed(shape.outline)).toBeNull();
          return;
        }
        shaped += 1;
        expect(shape.strings).toEqual(whole.strings);
        expect(parsed(shape.outline)?.outline).toBe(whole.outline);
      }),
      { numRuns: 2_000 },
    );
    expect(shaped).toBeGreaterThan(100);
  });
});
