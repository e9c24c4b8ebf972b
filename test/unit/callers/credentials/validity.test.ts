import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createClientRegistry,
  createExpiry,
  RevocableValidity,
} from '../../../../src/callers/credentials/client-registry.ts';
import type { Client } from '../../../../src/config/client.ts';
import { toClientsFile, toTestClient, toTestRules } from '../../../support/test-policy.ts';

describe('a revocable credential', () => {
  it('reports its end once to all waiters, and immediately to later ones', () => {
    const credential = new RevocableValidity();
    const told: string[] = [];
    credential.onEnd(() => told.push('a'));
    const stop = credential.onEnd(() => told.push('b'));
    stop();
    expect(told).toEqual([]);
    credential.end();
    credential.end();
    credential.onEnd(() => told.push('late'));
    expect(told).toEqual(['a', 'late']);
  });
});

describe('an expiring credential', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('reports its expiry in time, and has a timer only while something waits', () => {
    const expiry = createExpiry(Date.now() + 3_600_000, Date.now);
    expect(vi.getTimerCount()).toBe(0);
    let told = 0;
    const stops = [1, 2].map(() => expiry.onEnd(() => (told += 1)));
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(3_599_999);
    expect(told).toBe(0);
    stops[1]?.();
    stops[1]?.();
    vi.advanceTimersByTime(1);
    expect([told, vi.getTimerCount()]).toEqual([1, 0]);
    expiry.onEnd(() => (told += 1));
    expect(told).toBe(2);
    const other = createExpiry(Date.now() + 1_000, Date.now);
    other.onEnd(() => (told += 1))();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('uses the clock, which may be set', () => {
    let aheadMs = 0;
    const expiry = createExpiry(Date.now() + 10_000_000, () => Date.now() + aheadMs);
    let told = 0;
    expiry.onEnd(() => (told += 1));
    aheadMs = 10_000_000;
    vi.advanceTimersByTime(60_000);
    expect(told).toBe(1);
  });
});

describe('API keys', () => {
  const registry = { auth: 'token', perMinute: 600 } as const;
  const client = (about: Partial<Client>): Client => toTestClient({ id: 'page', ...about });
  const outlives = (before: Partial<Client>, after: readonly Client[]) => {
    const book = createClientRegistry(toClientsFile(client(before)), registry);
    let isOver = false;
    book.find('a'.repeat(64))?.caller.validity?.onEnd(() => {
      isOver = true;
    });
    book.replace(toClientsFile(...after));
    return !isOver;
  };

  it.each<[string, Partial<Client>, readonly Client[], boolean]>([
    ['is removed', {}, [], false],
    ['is replaced by another', {}, [client({ hash: 'b'.repeat(64) })], false],
    ['is given to another client', {}, [client({ id: 'other' })], false],
    [
      'is bound to other origins',
      { origins: ['https://a.example'] },
      [client({ origins: ['https://b.example'] })],
      false,
    ],
    ['is bound to origins', {}, [client({ origins: ['https://b.example'] })], false],
    ['stays as it is', { origins: ['https://a.example'] }, [client({ origins: ['https://a.example'] })], true],
    [
      'gets other limits',
      {},
      [client({ policy: toTestRules({ gas: { perDay: 1 } }) }), client({ id: 'b', hash: 'c'.repeat(64) })],
      true,
    ],
  ])('end what was opened with a key that %s, and nothing else', (_, before, after, isGoingOn) => {
    expect(outlives(before, after)).toBe(isGoingOn);
  });

  it('that return are valid again', () => {
    const book = createClientRegistry(toClientsFile(client({})), registry);
    book.replace(toClientsFile());
    book.replace(toClientsFile(client({})));
    let isOver = false;
    book.find('a'.repeat(64))?.caller.validity?.onEnd(() => {
      isOver = true;
    });
    expect(isOver).toBe(false);
    book.replace(toClientsFile(client({ rate: { perMinute: 7, perVisitorPerMinute: null } })));
    expect(isOver).toBe(false);
    book.replace(toClientsFile());
    expect(isOver).toBe(true);
  });
});
