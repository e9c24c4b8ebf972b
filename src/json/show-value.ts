/** Maximum of list items and nesting levels shown, as in messages of graphql-js. */
const maxItems = 10;
const maxLevels = 2;

/**
 * A value as error messages show it, cut to `maxCharacters`. Stops reading when it is full, so that a megabyte of input is not
 * read again for each mistake in it.
 */
export function showValue(value: unknown, maxCharacters: number): string {
  let text = '';
  const isFull = () => text.length > maxCharacters;
  const write = (each: unknown, level: number): void => {
    if (isFull()) return;
    if (typeof each === 'string') text += JSON.stringify(each.slice(0, maxCharacters + 1));
    else if (Array.isArray(each)) writeItems(each, level);
    else if (typeof each !== 'object' || each === null) text += String(each);
    // An exact number prints its own digits.
    else if (typeof (each as { toJSON?: unknown }).toJSON === 'function') text += String(each);
    else writeMembers(each, level);
  };
  const writeItems = (items: readonly unknown[], level: number): void => {
    if (items.length === 0) text += '[]';
    else if (level >= maxLevels) text += '[Array]';
    else {
      const rest = items.length - maxItems;
      for (const [index, item] of items.slice(0, maxItems).entries()) {
        text += index === 0 ? '[' : ', ';
        write(item, level + 1);
      }
      text += rest > 0 ? `, ... ${rest} more item${rest === 1 ? '' : 's'}]` : ']';
    }
  };
  const writeMembers = (object: object, level: number): void => {
    let isFirst = true;
    for (const key in object) {
      if (level >= maxLevels) {
        text += '[Object]';
        return;
      }
      text += `${isFirst ? '{ ' : ', '}${key.slice(0, maxCharacters)}: `;
      isFirst = false;
      write((object as Readonly<Record<string, unknown>>)[key], level + 1);
      if (isFull()) return;
    }
    text += isFirst ? '{}' : ' }';
  };
  write(value, 0);
  return isFull() ? `${text.slice(0, maxCharacters)}…` : text;
}
