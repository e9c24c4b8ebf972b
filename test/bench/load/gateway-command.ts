import { join } from 'node:path';
import { type Command, countingFlags, type NodeProgram } from './child-processes.ts';
import { sponsorToken } from './sponsor-answers.ts';
import { writeClientsFile } from './sponsor-callers.ts';

const asShipped: NodeProgram = { path: process.execPath, countsCollections: false };

/**
 * The built command line, told by the environment alone where its upstreams are; everything else is as shipped.
 * @param env what else it is told
 * @param folder where it is built
 */
export function toGatewayCommand(
  port: number,
  upstreamUrl: string,
  env: NodeJS.ProcessEnv,
  folder = '.',
  { path, countsCollections } = asShipped,
): Command {
  return {
    file: path,
    args: [...(countsCollections ? countingFlags : []), join(folder, 'dist/cli.js'), 'serve'],
    countsCollections,
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      LEDGER_GRAPHQL_URL: `${upstreamUrl}/graphql`,
      SPONSOR_URL: upstreamUrl,
      SPONSOR_TOKEN: sponsorToken,
      CLIENTS_FILE: writeClientsFile(),
      CORS_ORIGINS: 'http://localhost:3000',
      // Callers are counted, and never too many.
      RATE_LIMIT_PER_MINUTE: '1000000000',
      ...env,
    },
  };
}
