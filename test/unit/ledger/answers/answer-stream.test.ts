import { describe, expect, it } from 'vitest';
import { AnswerStream, heldBackBytes } from '../../../../src/ledger/answers/answer-stream.ts';

const usage = { inputNodes: 1, outputNodes: 2, depth: 3, variables: 4, fragments: 5, queryPayload: 6 };
const head = '{"data":{"a":"';

/** A stream that has begun with twice what is held back, in eight pieces, and what comes of it. */
function begin({ room = () => true, withUsage = false }: { room?: () => boolean; withUsage?: boolean } = {}) {
  const chunks = [Buffer.from(head), ...Array.from({ length: 8 }, () => Buffer.alloc(heldBackBytes / 4, 'x'))];
  const size = chunks.reduce((sum, { length }) => sum + length, 0);
  const outcome = { text: '', ended: [] as number[], failed: 0, resumed: 0 };
  const resume = () => {
    outcome.resumed += 1;
  };
  const begun = { status: 200, headers: new Map(), chunks, size };
  const stream = new AnswerStream(begun, resume, { usage: withUsage ? usage : null, readText: null });
  stream.start({
    write: (bytes) => {
      outcome.text += String(bytes);
      return room();
    },
    end: (errorCount) => void outcome.ended.push(errorCount),
    fail: () => {
      outcome.failed += 1;
    },
  });
  return { stream, outcome, text: Buffer.concat(chunks).toString() };
}

describe('an answer that is passed on as it comes', () => {
  it('is written as it came, but for what is held back, and whole at its end', () => {
    const { stream, outcome, text } = begin();
    expect(text.startsWith(outcome.text)).toBe(true);
    expect(text.length - outcome.text.length).toBeGreaterThanOrEqual(heldBackBytes);
    expect(outcome.text.length).toBeGreaterThan(0);
    stream.data(Buffer.alloc(heldBackBytes, 'y'));
    expect(outcome.text).toBe(text);
    stream.data(Buffer.from('"}}'));
    stream.end();
    expect(outcome).toMatchObject({ text: `${text}${'y'.repeat(heldBackBytes)}"}}`, ended: [0], failed: 0 });
  });

  it('gets usage at its end, and its errors tidied', () => {
    const { stream, outcome, text } = begin({ withUsage: true });
    stream.data(
      Buffer.from('"},"errors":[{"message":"m","locations":[],"extensions":{"code":"C","http":{"status":500}}}]}'),
    );
    stream.end();
    expect(outcome.text).toBe(
      `${text}"},"errors":[{"message":"m","extensions":{"code":"C","retry":"never"}}],"extensions":{"usage":${JSON.stringify(usage)}}}`,
    );
    expect([outcome.ended, outcome.failed]).toEqual([[1], 0]);
  });

  it.each<[string, (stream: AnswerStream) => void]>([
    ['ends in what cannot be made sense of', (stream) => stream.end()],
    ['breaks off', (stream) => stream.failed()],
  ])('is not finished when it %s', (_, finish) => {
    const { stream, outcome, text } = begin();
    finish(stream);
    expect([outcome.ended, outcome.failed]).toEqual([[], 1]);
    expect(outcome.text.length).toBeLessThan(text.length);
  });

  it('pauses while the writer is full, and goes on once when there is room', () => {
    let isFull = false;
    const { stream, outcome } = begin({ room: () => !isFull });
    stream.resume();
    expect(outcome.resumed).toBe(0);
    isFull = true;
    const chunk = Buffer.alloc(heldBackBytes, 'y');
    expect(stream.data(chunk)).toBe(false);
    // What was on its way is taken, but does not end the pause.
    isFull = false;
    expect(stream.data(chunk)).toBe(false);
    stream.resume();
    stream.resume();
    expect(outcome.resumed).toBe(1);
    expect(stream.data(chunk)).toBe(true);
  });

  it('pauses when what had come fills the writer', () => {
    const { stream, outcome } = begin({ room: () => false });
    expect(stream.data(Buffer.from('y'))).toBe(false);
    stream.resume();
    expect(outcome.resumed).toBe(1);
  });

  it('resumes nothing once it is over', () => {
    const { stream, outcome } = begin({ room: () => false });
    stream.failed();
    stream.resume();
    stream.failed();
    expect([outcome.resumed, outcome.failed]).toEqual([0, 1]);
  });
});
