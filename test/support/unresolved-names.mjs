// Loaded into a gateway before its own code: *.upstream.test is this machine, until a file says that names do not resolve.
import dns from 'node:dns';
import { existsSync } from 'node:fs';

const { lookup } = dns;

dns.lookup = (name, options, callback) => {
  if (!name.endsWith('.upstream.test')) return lookup(name, options, callback);
  if (existsSync(process.env.UNRESOLVED_FILE ?? ''))
    return process.nextTick(callback, Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }));
  return lookup('127.0.0.1', options, callback);
};
