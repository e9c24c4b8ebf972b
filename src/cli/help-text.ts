import { configKeys } from '../config/keys.ts';
import { networkProfiles } from '../config/network-profile.ts';
import { devnetDefaults } from './parse-arguments.ts';

export const helpText = `ledger-gateway: one GraphQL endpoint over a ledger, its gas sponsor and its events.

Usage
  ledger-gateway [serve]            serve the gateway
  ledger-gateway devnet [options]   run the simulated network alone
  ledger-gateway schema print       print the graph as served on the simulated network
  ledger-gateway schema pull        print the schema of the ledger at LEDGER_GRAPHQL_URL
  ledger-gateway schema check FILE  list how that schema differs from the one in FILE
  ledger-gateway config check       list every mistake of the configuration, or the settings in force
  ledger-gateway config schema      print the JSON Schema of the configuration file, for editors
  ledger-gateway explain FILE       show the cost of an operation and whether it would be served; - = standard input
  ledger-gateway keys new --id ID   make an API key for a client, and its entry for CLIENTS_FILE

Options
  -h, --help                        show this
  -V, --version                     show the version

Options of schema print
  --federation                      print the graph over the configured ledger as a Federation 2 subgraph

Options of schema pull and schema check
  --out FILE                        write the schema to FILE; pull only
  --gateway                         the whole graph over that ledger, not only the ledger's own schema

Options of devnet
  --port N                          one port for its three services; 0 = any free one (${devnetDefaults.port})
  --host ADDRESS                    address to listen on (${devnetDefaults.host})
  --seed N                          same seed and start time, same digests: chain identifier, objects, history and what follows
  --start-time TIME                 when its time begins, in UTC, or now (${devnetDefaults.seededStart} with --seed, else now)
  --profile NAME                    the network whose wire names it uses: ${Object.keys(networkProfiles).join(', ')} (${networkProfiles.ledger.name})
  --sponsor-token TOKEN             the token that its sponsor accepts (a random one, printed)
  --checkpoint-ms N                 milliseconds between two checkpoints; 0 = one with each transaction (${devnetDefaults.checkpointMs})
  --history-checkpoints N           how many checkpoints it remembers (7200)
  --available-checkpoints N         how many of them allow reads of objects and balances (300)

Options of explain
  --variables JSON                  its variables, an object
  --operation NAME                  which operation, if the file has several
  --json                            print JSON

Options of keys new
  --id ID                           the name of the client; required
  --scopes SCOPES                   read, sponsor or admin, separated by commas (read)
  --per-minute N                    its rate limit per minute; 0 = none (RATE_LIMIT_PER_MINUTE)
  --origins ORIGINS                 web origins whose pages may use it, separated by commas (any)
  --gas-per-day N                   the sponsor's gas that it may use per UTC day, in the smallest unit (any)
  --move-calls TARGETS              calls allowed in its sponsored transactions, separated by commas: 0x2::pay::split, 0x2::pay, 0x2 (any)

serve is configured by its environment, or by the file named in CONFIG_FILE. Nothing set means: the simulated
network, http://${configKeys.HOST.fallback}:${configKeys.PORT.fallback}/graphql. docs/configuration.md has every key. explain uses the same settings and makes no upstream call: its schema is the one in
SCHEMA_CACHE_FILE, else the simulated network's. Its exit code is 0 when the operation would be served, 1 when it would be
rejected, 2 when it cannot tell. schema check lists breaking, dangerous and safe changes. Its exit code is 1 when there is a
breaking change, 2 when it cannot compare, else 0.

Examples
  ledger-gateway
  PORT=8080 LOG_LEVEL=warn ledger-gateway
  LEDGER_GRAPHQL_URL=https://graphql.example.net LEDGER_RPC_URL=https://rpc.example.net ledger-gateway
  CONFIG_FILE=gateway.yaml ledger-gateway serve
  ledger-gateway devnet --port 4100 --seed 7
  ledger-gateway schema print > public.graphql
  ledger-gateway schema print --federation > subgraph.graphql
  LEDGER_GRAPHQL_URL=https://graphql.example.net ledger-gateway schema pull --out ledger.graphql
  LEDGER_GRAPHQL_URL=https://graphql.example.net ledger-gateway schema check ledger.graphql
  ledger-gateway explain query.graphql --variables '{"count": 50}'
  ledger-gateway keys new --id web-app --scopes read,sponsor --per-minute 1200
`;
