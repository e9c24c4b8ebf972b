#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, constants } from 'node:os';
import { text as readText } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import type { Services } from './cli/cli-world.ts';
import { parseArguments } from './cli/parse-arguments.ts';
import { runCommand } from './cli/run-command.ts';
import { toSettings } from './cli/run-serve.ts';
import { createStopRequest } from './cli/stop-request.ts';
import type { Config } from './config/config.ts';
import { gatewayVersion } from './config/gateway-version.ts';
import { Secret } from './config/secret.ts';
import { startDevnetThread } from './devnet/devnet-thread.ts';
import type { Network } from './start/open-network.ts';
import type { RunningNetwork } from './start/siblings.ts';
import type { PrimaryLink } from './start/workers/follow-primary.ts';
import { openEnvelope, type ToWorker, toEnvelope } from './start/workers/worker-messages.ts';
import { createLogger } from './telemetry/logger.ts';

// Set before any document is parsed. Otherwise V8 learns from cached syntax trees to allocate all syntax trees in old space:
// those of the next thousands of documents die immediately but stay there, 18 KB per document, until a full garbage
// collection.
setFlagsFromString('--no-allocation-site-pretenuring');
// V8 makes the space of new objects small while a process is idle, and doubles it only when as many bytes have survived as fit in.
// Until it is large again, which takes minutes, it collects garbage five to ten times as often.
setFlagsFromString('--semi-space-growth-factor=16');

/** The embedded network starts in its thread while this thread loads the gateway. */
function startNetwork(config: Config, running?: RunningNetwork | null): Promise<Network> {
  const opening = import('./start/open-network.ts').then(({ openNetwork }) =>
    openNetwork(config, running, startDevnetThread),
  );
  // The gateway reports this error once it is loaded.
  opening.catch(() => {});
  return opening;
}

/** Only the commands that need the rest of the program load it. */
const services: Services = {
  startGateway: async (options) => {
    const network = startNetwork(options.config, options.siblings?.shared.network);
    const { startGateway } = await import('./start/start.ts');
    return startGateway({ ...options, network });
  },
  readSchema: async (scope, config) => (await import('./start/read-schema.ts')).readSchema(scope, config),
  explainOperation: async (request, config) => (await import('./start/start.ts')).explainOperation(request, config),
  explainManifest: async (documents, variables, config) =>
    (await import('./start/start.ts')).explainManifest(documents, variables, config),
  startDevnet: async (options) => (await import('./devnet/start-devnet.ts')).startDevnet(options),
  startWorkers: async ({ logger, ...options }) => {
    const { createTelemetry } = await import('./telemetry/events.ts');
    const { Metrics } = await import('./telemetry/metrics.ts');
    const { createWorkerProcesses } = await import('./start/workers/worker-processes.ts');
    const startProcess = createWorkerProcesses(fileURLToPath(import.meta.url), ['worker']);
    const network = await startNetwork(options.config);
    const { startWorkers } = await import('./start/workers/primary.ts');
    const secret = randomBytes(32).toString('base64url');
    const metrics = new Metrics();
    return startWorkers({
      ...options,
      telemetry: createTelemetry(logger, metrics),
      metrics,
      secret,
      startProcess,
      network,
      now: () => performance.now(),
    });
  },
  followPrimary: async (primary) => (await import('./start/workers/follow-primary.ts')).followPrimary(primary),
};

const stop = createStopRequest({
  now: () => performance.now(),
  onInsist: (signal) => process.exit(128 + (constants.signals[signal as NodeJS.Signals] ?? 0)),
});
process.on('SIGINT', (signal) => stop.signal(signal));
process.on('SIGTERM', (signal) => stop.signal(signal));

// The callback of the write reports that a pipe was closed.
process.stdout.on('error', () => {});

/** A terminal gets readable lines; log collectors get JSON. */
const readableLines = process.stdout.isTTY ? await openReadableLines() : null;

/** The worker's message channel to the process that started it. */
const primary: PrimaryLink | null = process.send
  ? {
      send: (message) => new Promise((resolve) => process.send?.(toEnvelope(message), () => resolve())),
      onMessage: (hear) =>
        process.on('message', (received: unknown) => {
          const message = openEnvelope<ToWorker>(received);
          if (message) hear(message);
        }),
    }
  : null;

const command = parseArguments(process.argv.slice(2));
// Workers inherit the environment, and read the same settings.
if (command.kind === 'command' && command.name === 'serve') Object.assign(process.env, toSettings(command.given));
const exitCode = await runCommand(command, {
  env: process.env,
  readFile: (path) => readFileSync(path, 'utf8'),
  writeFile: writeFileSync,
  readInput: () => readText(process.stdin),
  readLines,
  writeOut: (text) => process.stdout.write(text),
  writeLine: (line) => new Promise((resolve) => process.stdout.write(`${line}\n`, (error) => resolve(!error))),
  writeError: (text) => process.stderr.write(text),
  isTerminal: process.stdout.isTTY === true,
  stopRequested: stop.requested,
  // At a terminal, this signal means that the terminal was closed.
  onReloadRequest: (reload) =>
    process.on('SIGHUP', (signal) => (process.stdout.isTTY ? stop.signal(signal) : reload())),
  onCrash: (tell) => {
    process.on('uncaughtException', (error) => {
      tell(error);
      process.exit(1);
    });
  },
  createLogger: (level, isOneOfSeveral) =>
    createLogger({
      level,
      pid: isOneOfSeveral ? process.pid : undefined,
      ...(readableLines && { destination: readableLines }),
    }),
  randomToken: () => new Secret(randomBytes(24).toString('base64url')),
  randomBytes,
  cores: availableParallelism(),
  primary,
  version: gatewayVersion,
  services,
});
await Promise.all([process.stdout, process.stderr].map(whenWritten));
process.exit(exitCode);

/** Not `node:readline`, which swallows the errors of its input. */
async function* readLines(file: string): AsyncGenerator<string, void> {
  const chunks: AsyncIterable<string> =
    file === '-' ? process.stdin.setEncoding('utf8') : createReadStream(file, 'utf8');
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}

/** Node writes to a pipe in the background, 64 KiB at a time, and `process.exit` drops unwritten output. */
function whenWritten(stream: NodeJS.WriteStream): Promise<void> | undefined {
  if (stream.writableLength === 0) return undefined;
  return new Promise((resolve) => {
    // The reader may have closed the pipe.
    stream.once('error', () => resolve());
    stream.write('', () => resolve());
  });
}

async function openReadableLines() {
  const { createReadableLines } = await import('./telemetry/readable-lines.ts');
  return createReadableLines({ write: (text) => process.stdout.write(text), isColoured: process.stdout.hasColors() });
}
