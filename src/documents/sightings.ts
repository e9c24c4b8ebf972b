/** Which texts came lately, by four bytes of each: of texts that come once nothing else needs to be kept. */
export interface Sightings {
  /** Notes a text. @returns whether it had been noted before; rarely true of one that only looks like another */
  note(text: string): boolean;
}

/** A power of two. A text is forgotten when another one takes its place: on average after so many others. */
const places = 65_536;

export function createSightings(): Sightings {
  const marks = new Uint32Array(places);
  return {
    note(text) {
      const mark = toMark(text);
      const place = mark & (places - 1);
      if (marks[place] === mark) return true;
      marks[place] = mark;
      return false;
    },
  };
}

/**
 * FNV-1a, its bits mixed once more so that any of them can choose the place. Whoever makes up texts with equal marks has them
 * kept at first sight, which costs no more than sending each of them twice.
 */
function toMark(text: string): number {
  let mark = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) mark = Math.imul(mark ^ text.charCodeAt(index), 0x01000193);
  mark ^= mark >>> 16;
  mark = Math.imul(mark, 0x85ebca6b);
  mark ^= mark >>> 13;
  // 0 is an empty place.
  return mark >>> 0 || 1;
}
