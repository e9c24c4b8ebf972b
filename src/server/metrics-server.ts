import { createServer } from 'node:http';
import { metricsType } from '../telemetry/metrics.ts';

/** Concurrent connections. Prometheus needs one; the rest are for people who look at the page. */
const maxConnections = 16;

/** Serves `/metrics` alone. Rejects if the address cannot be bound. */
export async function startMetricsServer(
  host: string,
  port: number,
  metricsPage: () => Promise<string>,
): Promise<{ readonly close: () => Promise<void> }> {
  const server = createServer((req, res) => {
    const isMetrics = req.url?.split('?')[0] === '/metrics';
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    if (!isMetrics || !isRead) {
      res.writeHead(isMetrics ? 405 : 404).end();
      return;
    }
    metricsPage().then(
      (page) => res.writeHead(200, { 'content-type': metricsType }).end(req.method === 'HEAD' ? undefined : page),
      () => res.writeHead(503).end(),
    );
  });
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
