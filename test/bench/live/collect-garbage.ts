import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';

/**
 * Has a Node process collect its garbage, by the debugger that every Node process opens when it is signalled.
 * @param port that it was started with as `--inspect-port`
 * @returns what is in use afterwards, in bytes
 */
export async function collectGarbage(pid: number, port: number): Promise<{ heapUsed: number; external: number }> {
  process.kill(pid, 'SIGUSR1');
  const socket = new WebSocket(await findDebugger(port), { perMessageDeflate: false });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  let lastId = 0;
  const ask = (method: string, params: object = {}): Promise<Record<string, never>> =>
    new Promise((resolve) => {
      lastId += 1;
      const id = lastId;
      const listen = (data: unknown) => {
        const message = JSON.parse(String(data));
        if (message.id !== id) return;
        socket.off('message', listen);
        resolve(message.result);
      };
      socket.on('message', listen);
      socket.send(JSON.stringify({ id, method, params }));
    });
  for (let round = 0; round < 3; round += 1) {
    await ask('HeapProfiler.collectGarbage');
    await pause(300);
  }
  const expression = 'JSON.stringify(process.memoryUsage())';
  const { result } = (await ask('Runtime.evaluate', { expression })) as { result?: { value?: string } };
  socket.close();
  return JSON.parse(result?.value ?? '{}');
}

async function findDebugger(port: number): Promise<string> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/json`).catch(() => null);
    const [target] = answer ? ((await answer.json()) as { webSocketDebuggerUrl?: string }[]) : [];
    if (target?.webSocketDebuggerUrl) return target.webSocketDebuggerUrl;
    await pause(50);
  }
  throw new Error('the process opens no debugger');
}
