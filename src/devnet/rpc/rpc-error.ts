/** JSON-RPC codes a node answers with. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  batchesOff: -32005,
  tooManySubscriptions: -32006,
  tooLarge: -32007,
} as const;

export type RpcCode = (typeof rpcCodes)[keyof typeof rpcCodes];

/** An error that the caller gets unchanged; any other error is reported as an internal error. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: RpcCode;

  constructor(code: RpcCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function invalidParams(message: string): RpcError {
  return new RpcError(rpcCodes.invalidParams, `Invalid params: ${message}`);
}
