import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RpcCall {
  readonly id: number;
  readonly method: string;
  // biome-ignore lint/suspicious/noExplicitAny: positional parameters, of as many shapes as there are methods
  readonly params: any[];
}

export interface ScriptedRpc extends AsyncDisposable {
  readonly url: string;
  /** Requests received, oldest first. */
  readonly calls: RpcCall[];
  /** The text of the JSON-RPC `result`. */
  answer: (call: RpcCall) => string;
}

/** A JSON-RPC node whose responses a test writes verbatim. */
export async function startScriptedRpc(answer: ScriptedRpc['answer']): Promise<ScriptedRpc> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const call: RpcCall = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      rpc.calls.push(call);
      res.setHeader('content-type', 'application/json');
      res.end(`{"jsonrpc":"2.0","id":${call.id},"result":${rpc.answer(call)}}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const rpc: ScriptedRpc = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: [],
    answer,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  return rpc;
}
