import { createServer } from 'node:net';

/**
 * A port that is free at this moment. Workers must agree on one that outlives each of them: if every worker asked for any
 * port, the system would choose anew whenever the last of them has ended.
 */
export function choosePort(host: string): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
