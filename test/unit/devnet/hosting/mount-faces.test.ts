import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { DevnetFace } from '../../../../src/devnet/faces.ts';
import { mountFaces } from '../../../../src/devnet/hosting/mount-faces.ts';

function createFace(seen: string[], name: string): DevnetFace {
  return {
    handle: (req) => void seen.push(`${name} ${req.url}`),
    close: async () => {},
  };
}

function request(url: string) {
  const req = new IncomingMessage(new Socket());
  req.url = url;
  return { req, res: new ServerResponse(req) };
}

describe('interfaces', () => {
  const mounts = (seen: string[]) => ({
    '/graphql': createFace(seen, 'graphql'),
    '/graphql/inner': createFace(seen, 'inner'),
    '/rpc': createFace(seen, 'rpc'),
  });

  test.each([
    ['/graphql', 'graphql /'],
    ['/graphql/', 'graphql /'],
    ['/graphql?a=1', 'graphql /?a=1'],
    ['/graphql/2024.1', 'graphql /2024.1'],
    ['/graphql/inner/x', 'inner /x'],
    ['/rpc', 'rpc /'],
  ])('see %s relative to their mount', async (url, expected) => {
    const seen: string[] = [];
    const { req, res } = request(url);
    mountFaces(mounts(seen)).handle(req, res);
    await Promise.resolve();
    expect(seen).toEqual([expected]);
  });

  test.each(['/', '/graphqlx', '/RPC', '/elsewhere', '*'])('do not see %s, which is not found', async (url) => {
    const seen: string[] = [];
    const { req, res } = request(url);
    mountFaces(mounts(seen)).handle(req, res);
    await Promise.resolve();
    expect(seen).toEqual([]);
    expect(res.statusCode).toBe(404);
  });

  test('mounted at the root see every path unchanged', async () => {
    const seen: string[] = [];
    const { req, res } = request('/v1/x?y');
    mountFaces({ '/': createFace(seen, 'sponsor') }).handle(req, res);
    await Promise.resolve();
    expect(seen).toEqual(['sponsor /v1/x?y']);
  });

  test('that throw respond 500 without details', async () => {
    const { req, res } = request('/');
    const failing: DevnetFace = { handle: () => Promise.reject(new Error('a secret')), close: async () => {} };
    mountFaces({ '/': failing }).handle(req, res);
    await new Promise((resolve) => setImmediate(resolve));
    expect(res.statusCode).toBe(500);
  });
});
