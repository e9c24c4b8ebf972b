import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './free-port.ts';

const executable = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx'].find((path) => existsSync(path));

/** Why tests with nginx cannot run here, or `null`. In CI, a missing nginx is a failure, never a skip. */
export const nginxMissing: string | null =
  executable || process.env.CI ? null : 'nginx is not installed: apt-get install nginx-light';

export interface NginxServer extends AsyncDisposable {
  readonly port: number;
}

/** nginx with the configuration of the documentation, in front of gateways on this machine. @param ports of the gateways */
export async function startNginx(ports: readonly number[]): Promise<NginxServer> {
  if (!executable) throw new Error('nginx is not installed: apt-get install nginx-light');
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
  // Its workers run as another user. Without access they would cut long bodies.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const documented = readFileSync(new URL('../../docs/deploy/nginx.conf', import.meta.url), 'utf8');
  const servers = ports.map((each) => `server 127.0.0.1:${each} max_fails=1 fail_timeout=2s;`).join('\n    ');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((each) => `${each}_temp_path ${folder}/${each};`)
    .join('\n  ');
  const adapted = documented
    .replace(/server gateway-1:[^;]*;\s*server gateway-2:[^;]*;/, servers)
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('http {', `http {\n  access_log off;\n  ${paths}`);
  if (!adapted.includes(servers) || !adapted.includes(`:${port};`)) throw new Error('the configuration has changed');
  writeFileSync(join(folder, 'nginx.conf'), `daemon off;\npid ${folder}/pid;\n${adapted}`);
  const child = spawn(executable, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`nginx does not start: ${said}`);
    await pause(20);
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      await end(child);
      rmSync(folder, { recursive: true });
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });
}
