import { RpcError, rpcCodes } from './rpc-error.ts';

export type RpcId = string | number | null;

export interface RpcCall {
  /** `undefined` for a notification, which gets no answer. */
  readonly id: RpcId | undefined;
  /** The method as it was called, prefix included: notifications of a subscription repeat it. */
  readonly calledAs: string;
  /** The method without its prefix. */
  readonly method: string;
  readonly params: readonly unknown[];
}

export type ParsedCall =
  | { readonly ok: true; readonly call: RpcCall }
  | { readonly ok: false; readonly id: RpcId; readonly error: RpcError };

/** Reads one JSON-RPC 2.0 request. Batches are off, as on real nodes. */
export function parseCall(text: string): ParsedCall {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return refused(null, rpcCodes.parseError, 'Parse error');
  }
  if (Array.isArray(json))
    return refused(null, rpcCodes.batchesOff, 'Batched requests are not supported by this server');
  if (typeof json !== 'object' || json === null) return refused(null, rpcCodes.invalidRequest, 'Invalid request');

  const { jsonrpc, id, method, params = [] } = json as Record<string, unknown>;
  const knownId = isId(id) ? id : null;
  if (jsonrpc !== '2.0') return refused(knownId, rpcCodes.invalidRequest, 'Invalid request: jsonrpc must be "2.0"');
  if (typeof method !== 'string')
    return refused(knownId, rpcCodes.invalidRequest, 'Invalid request: method must be text');
  if (id !== undefined && !isId(id))
    return refused(null, rpcCodes.invalidRequest, 'Invalid request: id must be a number, text or null');
  if (!Array.isArray(params)) return refused(knownId, rpcCodes.invalidParams, 'Invalid params: expected a list');
  return { ok: true, call: { id, calledAs: method, method: method.replace(/^[a-z]+x_/, ''), params } };
}

function refused(id: RpcId, code: RpcError['code'], message: string): ParsedCall {
  return { ok: false, id, error: new RpcError(code, message) };
}

function isId(value: unknown): value is RpcId {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

export function toResultText(id: RpcId, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

/** The text of an error answer. Faults of the devnet itself are reported without details. */
export function toErrorText(id: RpcId, error: unknown): string {
  const { code, message } = error instanceof RpcError ? error : new RpcError(rpcCodes.internal, 'Internal error');
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}
