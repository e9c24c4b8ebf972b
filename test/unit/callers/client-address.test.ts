import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toClientAddress, toTrustedProxies } from '../../../src/callers/identify-caller.ts';

const addressOf = (remoteAddress: string, forwardedFor?: string, trusted: readonly string[] = []) =>
  toClientAddress({ remoteAddress, forwardedFor }, toTrustedProxies(trusted))?.address;

const networkOf = (remoteAddress: string) => toClientAddress({ remoteAddress, forwardedFor: undefined }, [])?.network;

describe('the client address', () => {
  test.each([
    ['the peer, where nobody is trusted', '203.0.113.9', '198.51.100.1', [], '203.0.113.9'],
    ['the peer, when it is not trusted itself', '203.0.113.9', '198.51.100.1', ['10.0.0.0/8'], '203.0.113.9'],
    ['what a trusted peer heard', '10.0.0.1', '198.51.100.1', ['10.0.0.0/8'], '198.51.100.1'],
    [
      'the first untrusted one from the right',
      '10.0.0.1',
      '1.1.1.1, 198.51.100.1, 10.9.9.9',
      ['10.0.0.0/8'],
      '198.51.100.1',
    ],
    ['the last one, when all are trusted', '10.0.0.1', '10.0.0.3,10.0.0.2', ['10.0.0.0/8'], '10.0.0.3'],
    ['a trusted peer that says nothing', '10.0.0.1', undefined, ['10.0.0.0/8'], '10.0.0.1'],
    ['a trusted peer that says it does not know', '10.0.0.1', '198.51.100.1, unknown', ['10.0.0.0/8'], '10.0.0.1'],
    ['an empty header', '10.0.0.1', '', ['10.0.0.0/8'], '10.0.0.1'],
    ['an entry with a port', '10.0.0.1', '198.51.100.1:5123', ['10.0.0.1'], '198.51.100.1'],
    ['an IPv6 entry with a port', '10.0.0.1', '[2001:db8::1]:443', ['10.0.0.1'], '2001:db8::1'],
    ['an IPv6 entry in brackets', '10.0.0.1', '[2001:DB8:0::1]', ['10.0.0.1'], '2001:db8::1'],
    ['a mapped peer', '::ffff:10.0.0.1', '::ffff:198.51.100.1', ['10.0.0.0/8'], '198.51.100.1'],
    ['a range in mapped form', '10.0.0.1', '198.51.100.1', ['::ffff:10.0.0.0/104'], '198.51.100.1'],
    ['an IPv6 peer trusted by its range', 'fd00::1', '198.51.100.1', ['fd00::/8'], '198.51.100.1'],
    ['a range that takes in all of IPv6 and nothing of IPv4', '10.0.0.1', '198.51.100.1', ['::/0'], '10.0.0.1'],
    ['a peer beside a trusted address', '10.0.0.2', '198.51.100.1', ['10.0.0.1'], '10.0.0.2'],
    ['an IPv6 peer beside a trusted address', 'fd00::2', '198.51.100.1', ['fd00::1'], 'fd00::2'],
    ['a peer beside a trusted address in mapped form', '10.0.0.2', '198.51.100.1', ['::ffff:10.0.0.1'], '10.0.0.2'],
    ['a peer outside a range in mapped form', '11.0.0.1', '198.51.100.1', ['::ffff:10.0.0.0/104'], '11.0.0.1'],
    ['what any IPv4 peer heard', '203.0.113.9', '198.51.100.1', ['::ffff:0:0/96'], '198.51.100.1'],
    ['a range of IPv6 that contains all mapped addresses', '10.0.0.1', '198.51.100.1', ['::ffff:0:0/90'], '10.0.0.1'],
    ['a link-local peer with its interface', 'fe80::1%eth0', undefined, [], 'fe80::1'],
    ['a spelling that readers disagree on', '10.0.0.1', '0198.51.100.1', ['10.0.0.1'], '10.0.0.1'],
  ])('is %s', (_, remoteAddress, forwardedFor, trusted, address) => {
    expect(addressOf(remoteAddress, forwardedFor, trusted)).toBe(address);
  });

  test('is null once the connection is closed', () => {
    expect(toClientAddress({ remoteAddress: '', forwardedFor: '198.51.100.1' }, [])).toBeNull();
  });
});

test('IPv4 attempts count by address, IPv6 attempts by /64', () => {
  expect(networkOf('203.0.113.9')).toBe('203.0.113.9');
  expect(networkOf('::ffff:203.0.113.9')).toBe('203.0.113.9');
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(networkOf('2001:db8:1:2::')).toBe('2001:db8:1:2::/64');
  expect(networkOf('2001:db8:1:3::6')).toBe('2001:db8:1:3::/64');
  expect(networkOf('::1')).toBe('::/64');
});

describe('whatever the client sends in X-Forwarded-For', () => {
  const invention = fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constant('10.0.0.1')), { maxLength: 5 });
  const outside = fc.oneof(
    fc.ipV4().filter((address) => !address.startsWith('10.')),
    fc.ipV6().filter((address) => isIP(address) === 6 && !/ffff/i.test(address)),
  );
  const inside = fc.ipV4().map((address) => address.replace(/^\d+/, '10'));
  const trusted = ['10.0.0.0/8'];

  test('its address is the one that the outermost trusted proxy saw', () => {
    fc.assert(
      fc.property(invention, outside, fc.array(inside, { minLength: 1, maxLength: 4 }), (words, client, proxies) => {
        const [peer = '', ...others] = proxies;
        const header = [...words.map((word) => word.replaceAll(',', '')), client, ...others].join(', ');
        expect(addressOf(peer, header, trusted)).toBe(addressOf(client));
      }),
    );
  });

  test('without a trusted proxy its address is its own', () => {
    fc.assert(
      fc.property(invention, outside, (words, client) => {
        expect(addressOf(client, words.join(','), trusted)).toBe(addressOf(client));
      }),
    );
  });

  test('there is always an address to count by', () => {
    fc.assert(
      fc.property(fc.string(), inside, (header, peer) => {
        expect(isIP(addressOf(peer, header, trusted) ?? '')).not.toBe(0);
      }),
    );
  });
});
