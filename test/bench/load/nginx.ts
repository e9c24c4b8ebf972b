import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sponsorToken } from './sponsor-answers.ts';

/**
 * Writes what nginx needs to be the same reverse proxy as the floor, as a single process of whoever runs the bench.
 * @returns the directory, for `nginx -p`
 */
export function writeNginxDirectory(port: number, upstreamUrl: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'bench-nginx-'));
  mkdirSync(join(directory, 'logs'));
  writeFileSync(join(directory, 'nginx.conf'), toConfig(port, new URL(upstreamUrl).host));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Answers of the largest work fit into the buffers: nothing is written to disk. */
function toConfig(port: number, upstream: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${name};`);
  return `daemon off;
master_process off;
worker_processes 1;
pid nginx.pid;
error_log stderr error;
events { worker_connections 1024; }
http {
  access_log off;
  ${temporary.join('\n  ')}
  keepalive_timeout 600s;
  keepalive_requests 1000000000;
  client_body_buffer_size 64k;
  upstream ledger { server ${upstream}; keepalive 128; keepalive_timeout 600s; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_buffers 8 64k;
    proxy_buffer_size 64k;
    proxy_busy_buffers_size 128k;
    location / { proxy_pass http://ledger; }
    location /v1/ { proxy_pass http://ledger; proxy_set_header Connection ""; proxy_set_header Authorization "Bearer ${sponsorToken}"; }
  }
}
`;
}
