import { withAddresses } from '../config/keys.ts';
import { networkProfiles } from '../config/network-profile.ts';
import { defaultUrl, devnetDefaults, serveOptions } from './parse-arguments.ts';

const helpText = `ledger-gateway: one GraphQL endpoint over a ledger, its gas sponsor and its events.

Usage
  ledger-gateway [serve] [options]  serve the gateway
  ledger-gateway devnet [options]   run the simulated network alone
  ledger-gateway tail [options]     print events of a gateway as JSON lines, and continue where the last run ended
  ledger-gateway schema print       print the graph as served on the simulated network
  ledger-gateway schema pull        print the schema of the ledger at LEDGER_GRAPHQL_URL
  ledger-gateway schema check FILE  list how the ledger's schema differs from the one in FILE
  ledger-gateway config check       list every mistake of the configuration, or the settings in force
  ledger-gateway config schema      print the JSON Schema of the configuration file, for editors
  ledger-gateway explain FILE       show the cost of an operation and whether it would be served; - = standard input
  ledger-gateway explain --manifest FILE   the same for each trusted document of a manifest
  ledger-gateway policy check       show what a policy says about a transaction, without a gateway
  ledger-gateway audit [FILE...]    add up who spent what, from log lines in files or standard input
  ledger-gateway keys new --id ID   create an API key for a client, and its entry for CLIENTS_FILE

Options
  -h, --help                        show this help; after a command, the help of the command
  -V, --version                     show the version

Options of serve
  --port N, --ledger-graphql-url URL and so on: every setting except secrets is an option, and takes precedence over the
  environment and the file. ledger-gateway serve --help lists them.

Options of schema print
  --federation                      print the graph over the configured ledger as a Federation 2 subgraph

Options of schema pull and schema check
  --out FILE                        write the schema to FILE; pull only
  --gateway                         the whole graph over that ledger, not only the ledger's own schema

Options of devnet
  --port N                          port for all three interfaces; 0 = any free port (${devnetDefaults.port})
  --host ADDRESS                    address to listen on (${devnetDefaults.host})
  --seed N                          seed of all keys, objects and simulated users; with a fixed start time, digests are reproducible
  --start-time TIME                 ledger time at the start, in UTC, or now (${devnetDefaults.seededStart} with --seed, else now)
  --profile NAME                    network profile, for header names and the form of time ranges: ${Object.keys(networkProfiles).join(', ')} (${networkProfiles.ledger.name})
  --sponsor-token TOKEN             bearer token that the sponsor accepts (random, printed)
  --checkpoint-ms N                 milliseconds between checkpoints; 0 = one per transaction (${devnetDefaults.checkpointMs})
  --history-checkpoints N           checkpoints kept in the history (7200)
  --available-checkpoints N         checkpoints for which objects and balances can be read (300)

Options of tail
  --url URL                         GraphQL endpoint of the gateway (${defaultUrl})
  --filter JSON                     filter as in liveEvents: '{"sender":"0x2"}' (all)
  --transactions                    transactions instead of events
  --state FILE                      keep the cursor of the last line in FILE, and continue behind it
  --after CURSOR                    continue behind this cursor instead
  --key-file FILE                   file with an API key

Options of explain
  --variables JSON                  variables of the operation, a JSON object; with --manifest, of every document
  --operation NAME                  the operation to explain, if the file has several
  --manifest FILE                   price a manifest of trusted documents; required variables may be missing
  --json                            print JSON

Options of policy check
  --client ID                       id of a client, or name of a policy: default for callers without a key; required
  --tx BASE64                       the transaction; required

Options of audit
  --json                            print JSON lines

Options of keys new
  --id ID                           name of the client; required
  --scopes SCOPES                   scopes of the key: read, sponsor or admin, separated by commas (read)
  --per-minute N                    rate limit per minute; 0 = no limit (RATE_LIMIT_PER_MINUTE)
  --origins ORIGINS                 web origins whose pages may use the key, separated by commas (any)
  --gas-per-day N                   gas budget per UTC day, in the smallest unit of the gas coin (no budget)
  --move-calls TARGETS              Move calls allowed in sponsored transactions, separated by commas: 0x2::pay::split, 0x2::pay, 0x2 (any)

serve reads its settings from its options, the environment, or the file named in CONFIG_FILE. Without settings, it serves the
simulated network at ${defaultUrl}. docs/configuration.md lists every setting.
explain uses the same settings. It calls no upstream, and reads the schema from SCHEMA_CACHE_FILE, or else uses the simulated
network's. Its exit code is 0 if every operation would be served, 1 if one would be rejected, and 2 if explain fails.
schema check lists breaking, dangerous and safe changes. Its exit code is 1 for a breaking change, 2 if it cannot compare, and 0
otherwise.

Examples
  ledger-gateway
  ledger-gateway --port 8080 --log-level warn
  LEDGER_GRAPHQL_URL=https://graphql.example.net LEDGER_RPC_URL=https://rpc.example.net ledger-gateway
  CONFIG_FILE=gateway.yaml ledger-gateway serve
  ledger-gateway devnet --port 4100 --seed 7
  ledger-gateway tail --filter '{"moveEventModule":{"package":"0xd0e","module":"greeter"}}' --state cursor | jq .event.sender
  ledger-gateway schema print > public.graphql
  ledger-gateway schema print --federation > subgraph.graphql
  LEDGER_GRAPHQL_URL=https://graphql.example.net ledger-gateway schema pull --out ledger.graphql
  LEDGER_GRAPHQL_URL=https://graphql.example.net ledger-gateway schema check ledger.graphql
  ledger-gateway explain query.graphql --variables '{"count": 50}'
  CLIENTS_FILE=clients.yaml ledger-gateway policy check --client web-app --tx AAACAA…
  ledger-gateway audit /var/log/ledger-gateway/*.log
  ledger-gateway keys new --id web-app --scopes read,sponsor --per-minute 1200
`;

/** The help of a command: what the whole help says about it. @param command its first word; `null`: all commands */
export function helpOf(command: string | null): string {
  if (command === null) return helpText;
  const isAbout = (line: string) =>
    line.includes(`ledger-gateway ${command}`) || line.includes(`ledger-gateway [${command}]`);
  const parts = helpText.trimEnd().split('\n\n');
  const shown = parts.flatMap((part) => {
    const [heading = '', ...lines] = part.split('\n');
    if (heading === 'Usage' || heading === 'Examples') {
      const own = lines.filter(isAbout);
      return own.length > 0 ? [[heading, ...own].join('\n')] : [];
    }
    const isOfCommand = heading.startsWith('Options of') && heading.split(/[ ,]+/).includes(command);
    return isOfCommand && command !== 'serve' ? [part] : [];
  });
  return `${[...shown, ...(command === 'serve' ? [settingsHelp()] : [])].join('\n\n')}\n`;
}

/** The options of `serve`: each setting with the first sentence of its description. */
function settingsHelp(): string {
  const table = withAddresses([]);
  const lines = [...serveOptions].map(([option, name]) => {
    const [sentence = ''] = (table[name]?.description ?? '').replaceAll('`', '').split(/(?<=\.) /);
    return `  ${`--${option}`.padEnd(35)} ${sentence}`;
  });
  return `Options of serve, each for the setting of the same name\n${lines.join('\n')}`;
}
