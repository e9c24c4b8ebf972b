import { redactText } from '../telemetry/redact-fields.ts';

/** What standard error gets when a command fails: one line, no stack, no credentials. */
export function toFailureLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `ledger-gateway: ${redactText(message).replaceAll(/\s*\n\s*/g, ' ')}\n`;
}
