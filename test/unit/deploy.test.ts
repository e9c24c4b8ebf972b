import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { configKeys } from '../../src/config/keys.ts';
import { readConfig } from '../../src/start/read-config.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const key = 'a-signing-key-of-32-characters-or-more';
/** Reads the configuration of a file in docs/deploy as the gateway would. */
const configOf = (env: Readonly<Record<string, string>>, files: Readonly<Record<string, string>> = {}) =>
  readConfig({ env, readFile: (path) => files[path] ?? expect.fail(`no file ${path}`) });
/** Milliseconds that a gateway may take to stop. */
const longestStopMs = (drainMs: number | null) =>
  (drainMs ?? 5_000) + 2 * configKeys.MUTATION_TIMEOUT_MS.fallback + 6_000;
const probes = read('src/server/route.ts');

interface Service {
  readonly environment: Readonly<Record<string, string>>;
  readonly ports: readonly string[];
  readonly networks: { readonly default: { readonly ipv4_address: string } };
  readonly stop_grace_period: string;
}

const servicesOf = (path: string) =>
  (parse(read(path), { merge: true }) as { services: Readonly<Record<string, Service>> }).services;
/** The environment with the values that `${NAME:-default}` and `${NAME:?message}` stand for. */
const filled = ({ environment }: Service) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [
      name,
      value.replace(/\$\{\w+:\?.*\}/, 'http://127.0.0.1').replace(/\$\{\w+:-(.*)\}/, '$1'),
    ]),
  );

test('everything that the image copies from the checkout is in its build context', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' '),
  );
  const allowed = read('.dockerignore')
    .split('\n')
    .filter((line) => line.startsWith('!'));
  expect(copied).toContain('src');
  expect(copied.filter((path) => !allowed.includes(`!${path}`))).toEqual([]);
});

test('compose.yaml has a valid configuration and waits for the end', () => {
  const { gateway } = servicesOf('compose.yaml');
  const { redis, settings } = configOf(filled(gateway!));
  expect(redis).not.toBeNull();
  expect(Number.parseInt(gateway!.stop_grace_period, 10) * 1_000).toBeGreaterThanOrEqual(
    longestStopMs(settings.DRAIN_MS),
  );
});

describe('docs/deploy/compose.yaml', () => {
  const services = servicesOf('docs/deploy/compose.yaml');
  const gateways = ['gateway-1', 'gateway-2'];

  test.each(gateways)('%s has a valid configuration, trusts nginx and is stopped in time', (name) => {
    const gateway = services[name]!;
    const { settings, port } = configOf(filled(gateway));
    expect(settings.TRUSTED_PROXIES).toBeDefined();
    expect(gateway.environment.TRUSTED_PROXIES).toBe(services.nginx!.networks.default.ipv4_address);
    expect(Number.parseInt(gateway.stop_grace_period, 10) * 1_000).toBeGreaterThanOrEqual(
      longestStopMs(settings.DRAIN_MS),
    );
    expect(read('docs/deploy/nginx.conf')).toContain(`server ${name}:${port} `);
    expect(read('docs/deploy/prometheus.yaml')).toContain(`'${name}:${gateway.environment.METRICS_PORT}'`);
  });

  test('nginx listens on its published port, and drops idle connections before a gateway stops', () => {
    const conf = read('docs/deploy/nginx.conf');
    const idleSecs = Number(/^ {4}keepalive_timeout (\d+)s;/m.exec(conf)?.[1]);
    expect(services.nginx!.ports).toEqual([`${/listen (\d+);/.exec(conf)?.[1]}:8080`]);
    expect(idleSecs * 1_000).toBeLessThan(Number(services['gateway-1']!.environment.DRAIN_MS));
  });

  test('all YAML in it is valid', () => {
    const { configs } = parse(read('docs/deploy/compose.yaml'), { merge: true });
    for (const { content } of Object.values<{ content: string }>(configs)) expect(parse(content).apiVersion).toBe(1);
    expect(parse(read('docs/deploy/prometheus.yaml')).rule_files).toEqual(['alerts.yaml']);
  });
});

const kustomize = 'docs/deploy/kustomize';
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const overlay = () => {
  const { stdout, stderr, status } = spawnSync('kubectl', ['kustomize', `${kustomize}/overlay`], { encoding: 'utf8' });
  return status === 0 ? stdout : expect.fail(stderr);
};
// Not skipped elsewhere: continuous integration counts a skipped test as a failure.
const manifests = [{ name: 'base', render: () => read(`${kustomize}/base/gateway.yaml`) }].concat(
  hasKubectl ? [{ name: 'overlay', render: overlay }] : [],
);

describe.each(manifests)('docs/deploy/kustomize/$name', ({ render }) => {
  const documents = parseAllDocuments(render()).map((document) => {
    expect('errors' in document && document.errors).toEqual([]);
    return document.toJS();
  });
  const of = (kind: string) => documents.find((each) => each.kind === kind);
  const pod = of('Deployment').spec.template;
  const [container] = pod.spec.containers;
  const env: Record<string, string> = Object.fromEntries(
    container.env.map((each: { name: string; value: string }) => [each.name, each.value]),
  );
  const [secrets, cache] = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
  const files = (signingKey: string) =>
    Object.fromEntries(
      Object.entries<string>(of('Secret').stringData).map(([name, text]) => [
        `${secrets}/${name}`,
        name.endsWith('-keys') ? signingKey : text,
      ]),
    );

  test('has a valid configuration, in which every secret is a file', () => {
    const config = configOf(env, files(key));
    expect(config.redis).not.toBeNull();
    expect(config.clients?.clients).toHaveLength(1);
    const { SPONSOR_TOKEN_FILE, SCHEMA_CACHE_FILE } = config.settings;
    expect(SPONSOR_TOKEN_FILE).toBe(`${secrets}/sponsor-token`);
    expect(SCHEMA_CACHE_FILE).toContain(`${cache}/`);
  });

  test('does not start with the placeholders for keys', () => {
    expect(() => configOf(env, files(of('Secret').stringData['lease-keys']))).toThrow('LEASE_KEYS_FILE');
  });

  test('has the ports and paths of the gateway', () => {
    const ports = Object.fromEntries(
      container.ports.map((each: { name: string; containerPort: number }) => [each.name, String(each.containerPort)]),
    );
    expect(ports).toEqual({ http: env.PORT, metrics: env.METRICS_PORT });
    expect(pod.metadata.annotations['prometheus.io/port']).toBe(env.METRICS_PORT);
    expect(of('Service').spec.ports[0].targetPort).toBe('http');
    for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
      expect(container[probe].httpGet.port).toBe('http');
      expect(probes).toContain(`case '${container[probe].httpGet.path}':`);
    }
  });

  test('drains longer than readiness takes to fail, and waits for the end', () => {
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    expect(Number(env.DRAIN_MS)).toBeGreaterThan(periodSeconds * failureThreshold * 1_000);
    const preStopMs = Number(container.lifecycle.preStop.exec.command[1]) * 1_000;
    expect(pod.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThanOrEqual(
      preStopMs + longestStopMs(Number(env.DRAIN_MS)),
    );
  });

  test('matches the schemas of Kubernetes', async () => {
    const validate = async (document: { readonly apiVersion: string; readonly kind: string }) => {
      const path = `kubernetes-models/${document.apiVersion}/${document.kind}`;
      const { [document.kind]: Model } = await import(/* @vite-ignore */ path);
      new Model(document).validate();
    };
    // The Prometheus Operator defines its own kinds.
    for (const document of documents) if (document.kind !== 'PodMonitor') await validate(document);
    await expect(validate({ ...of('Deployment'), spec: { replicas: 'two' } })).rejects.toThrow('replicas');
  });

  test('selects its own pods', () => {
    const { labels } = pod.metadata;
    expect(of('Deployment').spec.selector.matchLabels).toEqual(labels);
    expect(of('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
    expect(of('Service').spec.selector).toEqual(labels);
    expect(of('HorizontalPodAutoscaler').spec.scaleTargetRef.name).toBe(of('Deployment').metadata.name);
    for (const kind of ['NetworkPolicy', 'PodMonitor'])
      for (const { spec } of documents.filter((each) => each.kind === kind))
        expect((spec.podSelector ?? spec.selector).matchLabels).toEqual(labels);
  });
});

test('the overlay changes what a cluster differs in, and keeps the rest', () => {
  const [base, own] = manifests.map(({ render }) => parseAllDocuments(render()).map((document) => document.toJS()));
  if (!own) return expect(hasKubectl).toBe(false);
  const gateway = (among = own) => among.find(({ kind }) => kind === 'Deployment').spec.template.spec.containers[0];
  expect(gateway().image).toBe('registry.example.com/team/ledger-gateway:1.0.0');
  expect(
    gateway()
      .env.map(({ name }: { name: string }) => name)
      .sort(),
  ).toEqual(
    gateway(base)
      .env.map(({ name }: { name: string }) => name)
      .sort(),
  );
  expect(new Set(own.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['ledger']));
  const ports = gateway().ports.map(({ name }: { name: string }) => name);
  const { podMetricsEndpoints } = own.find(({ kind }) => kind === 'PodMonitor').spec;
  const { ingress } = own.find(({ kind }) => kind === 'NetworkPolicy').spec;
  expect(ports).toEqual(ingress.map((rule: { ports: { port: string }[] }) => rule.ports[0]?.port));
  expect(ports).toContain(podMetricsEndpoints[0].port);
  const { annotations } = own.find(({ kind }) => kind === 'Ingress').metadata;
  const nginx = read('docs/deploy/nginx.conf');
  expect(nginx).toContain(`proxy_read_timeout ${annotations['nginx.ingress.kubernetes.io/proxy-read-timeout']}s;`);
  expect(nginx).toContain(`client_max_body_size ${annotations['nginx.ingress.kubernetes.io/proxy-body-size']};`);
});

test('docs/deploy/ledger-gateway.service sets existing keys and waits for the end', () => {
  const unit = read('docs/deploy/ledger-gateway.service');
  const { NODE_ENV, ...env } = Object.fromEntries(
    [...unit.matchAll(/^Environment=(\w+)=(.+)$/gm)].map(([, name, value]) => [name, value]),
  );
  expect(NODE_ENV).toBe('production');
  const { settings } = configOf(env, { [env.CONFIG_FILE]: 'LEDGER_GRAPHQL_URL: http://127.0.0.1' });
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1]) * 1_000).toBeGreaterThanOrEqual(
    longestStopMs(settings.DRAIN_MS),
  );
});

// Not skipped elsewhere: continuous integration counts a skipped test as a failure.
if (spawnSync('nginx', ['-v']).status === 0) {
  test('nginx accepts docs/deploy/nginx.conf', () => {
    const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
    try {
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      );
      const conf = read('docs/deploy/nginx.conf')
        .replace(/server gateway-(\d):/g, 'server 127.0.0.$1:')
        .replace('http {', `http { access_log off; ${paths.join(' ')}`);
      writeFileSync(join(folder, 'nginx.conf'), `pid ${folder}/pid;\n${conf}`);
      const { stderr } = spawnSync('nginx', ['-t', '-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], {
        encoding: 'utf8',
      });
      expect(stderr).toContain('test is successful');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
