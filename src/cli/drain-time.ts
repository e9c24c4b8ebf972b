import type { Config } from '../config/config.ts';

/** Load balancers ask for the readiness every few seconds. */
const usualDrainMs = 5_000;

/**
 * How long the gateway serves on after a signal, in milliseconds. Unless that is configured, only a supervisor's SIGTERM lets it
 * wait: a person at a terminal does not want to.
 */
export function toDrainMs({ drainMs }: Pick<Config, 'drainMs'>, signal: string, isTerminal: boolean): number {
  return drainMs ?? (signal === 'SIGTERM' && !isTerminal ? usualDrainMs : 0);
}
