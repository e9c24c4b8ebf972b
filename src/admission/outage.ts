export interface OutageEvents {
  /** Called at the first failure. @param reason one line, without credentials */
  readonly began: (reason: string) => void;
  readonly ended: () => void;
}

/** Turns many failures and successes into two events: the store went away, the store came back. */
export interface Outage {
  failed(error: unknown): void;
  succeeded(): void;
}

export function createOutage({ began, ended }: OutageEvents): Outage {
  let isAway = false;
  return {
    failed(error) {
      if (isAway) return;
      isAway = true;
      began(toReason(error));
    },
    succeeded() {
      if (!isAway) return;
      isAway = false;
      ended();
    },
  };
}

/** Takes the message alone. Errors of the Redis client also hold the failed command, and a failed login holds the password. */
function toReason(error: unknown): string {
  const { message, code } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { message: String(error), code: undefined };
  return message.split('\n', 1)[0] || code || 'unknown';
}
