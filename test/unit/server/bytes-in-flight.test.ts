import { beforeEach, describe, expect, it } from 'vitest';
import { type BytesInFlight, createBytesInFlight } from '../../../src/server/read-body.ts';
import type { RequestMemory } from '../../../src/upstream/cancellation.ts';

const kib = 1024;
const mib = 1024 * kib;
/** Of the largest body; there is room for 96 of them while they arrive, and each takes three times as much when it runs. */
const largest = mib;

let bytes: BytesInFlight;

beforeEach(() => {
  bytes = createBytesInFlight(largest);
});

/** Takes bodies of the largest size until there is no room. */
function fill(caller: string): RequestMemory[] {
  const taken: RequestMemory[] = [];
  for (let held = bytes.take(caller, largest); held; held = bytes.take(caller, largest)) taken.push(held);
  return taken;
}

describe('bodies of running operations', () => {
  it('of one caller take at most half of the memory', () => {
    expect(fill('one')).toHaveLength(16);
  });

  it('of one caller leave memory for a second one and a third one', () => {
    fill('one');
    expect(fill('another')).toHaveLength(8);
    expect(fill('a third')).toHaveLength(4);
  });

  it('of a new caller are accepted even if others use all the memory', () => {
    for (let index = 0; index < 20; index += 1) fill(`caller ${index}`);
    expect(bytes.take('newcomer', 20 * kib)).not.toBeNull();
  });

  it('free their memory at the end', () => {
    for (const held of fill('one')) held.release();
    expect(fill('one')).toHaveLength(16);
    expect(fill('another')).toHaveLength(8);
  });

  it('free their memory when every holder has released them', () => {
    const [first] = fill('one');
    first?.keep();
    first?.release();
    expect(bytes.take('one', largest)).toBeNull();
    first?.release();
    expect(bytes.take('one', largest)).not.toBeNull();
  });

  it('are not counted if their requests are, because they are small', () => {
    const small = Array.from({ length: 10_000 }, () => bytes.take('one', 2 * kib));
    expect(small).not.toContain(null);
    expect(fill('one')).toHaveLength(16);
  });
});

describe('bodies that are being received', () => {
  const begin = () => {
    const arrival = { isGivenUp: false };
    const entry = bytes.enter('one', () => {
      arrival.isGivenUp = true;
    });
    entry.hold(largest);
    return { ...entry, isGivenUp: () => arrival.isGivenUp };
  };

  it('use all the memory while no operation runs', () => {
    const arriving = Array.from({ length: 97 }, begin);
    expect(arriving.map(({ isGivenUp }) => isGivenUp())).toEqual([true, ...Array(96).fill(false)]);
  });

  it('are dropped if operations need the memory, and get it back afterwards', () => {
    const early = Array.from({ length: 96 }, begin);
    const held = bytes.take('one', largest);
    expect(early.filter(({ isGivenUp }) => isGivenUp())).toEqual(early.slice(0, 3));
    held?.release();
    const late = Array.from({ length: 3 }, begin);
    expect([...early.slice(3), ...late].some(({ isGivenUp }) => isGivenUp())).toBe(false);
  });
});

describe('requests', () => {
  it('of one address take at most half of the memory, and leave room for those of others', () => {
    const beginAll = (address: string) => {
      const share = bytes.open(address);
      let count = 0;
      while (bytes.begin(share)) count += 1;
      return count;
    };
    expect(beginAll('one')).toBe(2_048);
    expect(beginAll('another')).toBe(1_024);
    expect(beginAll('a third')).toBe(512);
  });

  it('are no longer counted when they end', () => {
    const share = bytes.open('one');
    for (let count = 0; count < 10_000; count += 1) {
      expect(bytes.begin(share)).toBe(true);
      bytes.end(share);
    }
    bytes.close(share);
  });
});
