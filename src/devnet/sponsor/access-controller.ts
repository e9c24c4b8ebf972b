import { hash256 } from '../../transactions/digest.ts';
import { toAddress } from '../../transactions/ledger-bcs.ts';

/** Decides whose transactions the sponsor pays for, and simulates failures of that check. Tests change it directly. */
export interface AccessController {
  /** `null` when access is granted. */
  check(sender: string): { readonly status: number; readonly error: string } | null;
  /** Simulates reading the configuration again. `false` when that fails. */
  reload(): boolean;
  deny(sender: string): void;
  allow(sender: string): void;
  breakChecks(broken: boolean): void;
  breakConfiguration(broken: boolean): void;
}

/**
 * Denied senders take effect at once. A reload keeps them, since they stand for the content of the configuration
 * file.
 */
export function createAccessController(): AccessController {
  const denied = new Set<string>();
  let areChecksBroken = false;
  let isConfigurationBroken = false;
  let failures = 0;

  return {
    check(sender) {
      if (areChecksBroken) {
        failures += 1;
        return { status: 400, error: `Error while checking access. EventId=${toEventId(failures)}` };
      }
      return denied.has(sender) ? { status: 403, error: 'Access denied by access controller' } : null;
    },
    reload: () => !isConfigurationBroken,
    deny: (sender) => void denied.add(sender),
    allow: (sender) => void denied.delete(sender),
    breakChecks: (broken) => {
      areChecksBroken = broken;
    },
    breakConfiguration: (broken) => {
      isConfigurationBroken = broken;
    },
  };
}

/** An id in the form of a UUID, the same in every run: nothing on the devnet is random. */
function toEventId(count: number): string {
  const hex = toAddress(hash256(Buffer.from(`access event ${count}`))).slice(2);
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}
