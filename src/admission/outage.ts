export interface OutageEvents {
  /** @param reason one line, without credentials */
  readonly began: (reason: string) => void;
  readonly ended: () => void;
}

/** Turns many failures and successes into two events: it went away, it came back. */
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

/** Errors of the client carry the failed command, and that of a refused login carries the password: only the text is told. */
function toReason(error: unknown): string {
  const { message, code } =
    error instanceof Error ? (error as NodeJS.ErrnoException) : { message: String(error), code: undefined };
  return message.split('\n', 1)[0] || code || 'unknown';
}
