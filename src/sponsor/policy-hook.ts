import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { GraphQLError } from 'graphql';
import type { Secret } from '../config/secret.ts';
import { gatewayError } from '../errors/gateway-error.ts';
import type { TransactionOutline } from '../transactions/outline-transaction.ts';
import type { Caller } from '../upstream/operation-context.ts';
import { toClientId } from './sponsor-client.ts';
import { deny, nothingSent, toDenialError } from './sponsor-policy.ts';

/** How long the hook may take, in milliseconds. */
const timeoutMs = 500;
/** Bytes of its answer. */
const maxAnswerBytes = 16 * 1024;
const maxMessageLength = 500;
/** Decisions that are remembered; beyond that, the oldest are asked for again. */
const maxDecisions = 10_000;

/** A transaction that the hook decides about. */
export interface HookSubject {
  readonly caller: Pick<Caller, 'id' | 'kind' | 'rate'>;
  readonly requestId: string;
  /** `null`: the gas is not filled in yet. */
  readonly digest: string | null;
  readonly outline: TransactionOutline | null;
  /** `null`: not known. */
  readonly gasBudget: number | null;
}

export interface PolicyHook {
  /**
   * Why the transaction must not be sponsored, or `null`. A decision is remembered by digest until then; equal questions in flight
   * are one.
   * @param untilMs milliseconds since the Unix epoch
   */
  readonly ask: (subject: HookSubject, untilMs: number) => Promise<GraphQLError | null>;
  /** Remembers that a transaction, about which was asked without its digest, may be sponsored. */
  readonly allow: (caller: HookSubject['caller'], digest: string, untilMs: number) => void;
}

/** Decides about a transaction. Any answer but a `PolicyDecision`, an error, and a delay count as none. */
export type PolicyDecider = (subject: HookSubject) => unknown;

type PolicyDecision = { readonly allow: true } | { readonly deny: { readonly message: string } };

export interface PolicyHookOptions {
  /** All of them must allow a transaction. */
  readonly deciders: readonly PolicyDecider[];
  /** Sponsors a transaction about which nobody decides. */
  readonly isOpen: boolean;
  readonly now: () => number;
}

/** Asks the operator's own code whether a transaction may be sponsored. */
export function createPolicyHook({ deciders, isOpen, now }: PolicyHookOptions): PolicyHook {
  const decisions = new Map<string, { readonly decision: Promise<PolicyDecision | null>; readonly untilMs: number }>();

  function remember(key: string, decision: Promise<PolicyDecision | null>, untilMs: number): void {
    decisions.delete(key);
    decisions.set(key, { decision, untilMs });
    const [oldest] = decisions.keys();
    if (decisions.size > maxDecisions && oldest !== undefined) decisions.delete(oldest);
  }

  /** The first decision that is no permission; `null`: one did not answer in time, or in another form. */
  async function decide(subject: HookSubject): Promise<PolicyDecision | null> {
    const late = pause(timeoutMs, null, { ref: false });
    const inTime = async (decider: PolicyDecider) => toDecision(await decider(subject));
    const decided = await Promise.all(
      deciders.map((decider) => Promise.race([late, inTime(decider)]).catch(() => null)),
    );
    const refusal = decided.find((each) => each === null || 'deny' in each);
    return refusal === undefined ? { allow: true } : refusal;
  }

  return {
    async ask(subject, untilMs) {
      const { caller, digest } = subject;
      const key = digest && toKey(caller, digest);
      const known = key === null ? undefined : decisions.get(key);
      const isKnown = known !== undefined && now() < known.untilMs;
      const decision = isKnown ? known.decision : decide(subject);
      if (key !== null && !isKnown) {
        remember(key, decision, untilMs);
        // Only a decision is remembered.
        void decision.then((decided) => {
          if (decided === null && decisions.get(key)?.decision === decision) decisions.delete(key);
        });
      }
      return toError(await decision, isOpen);
    },
    allow: (caller, digest, untilMs) => remember(toKey(caller, digest), Promise.resolve({ allow: true }), untilMs),
  };
}

/**
 * Asks the operator's own service. It gets what the gateway knows, without credentials, the lease and addresses of visitors.
 */
export function createServiceDecider(url: string, secretInForce: () => Secret, now: () => number): PolicyDecider {
  return async (subject) => {
    const secret = secretInForce().reveal();
    const body = toBody(subject, secret);
    const timestamp = String(Math.floor(now() / 1_000));
    const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-request-id': subject.requestId,
      'x-ledger-gateway-timestamp': timestamp,
      'x-ledger-gateway-signature': `sha256=${signature}`,
    };
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
    const text = await readText(response);
    return response.status === 200 ? JSON.parse(text) : null;
  };
}

/** One visitor of one client; the digest last, since only the others may contain line feeds. */
function toKey({ id, rate }: HookSubject['caller'], digest: string): string {
  return `${id}\n${rate.key}\n${digest}`;
}

function toBody(subject: HookSubject, secret: string): string {
  const visitor = createHmac('sha256', secret).update(`visitor\n${subject.caller.rate.key}`).digest('hex');
  return JSON.stringify(describeTransaction(subject, visitor.slice(0, 32)));
}

/** `sender`, `targets` and `commands` are `null` if the transaction cannot be parsed. */
export function describeTransaction({ caller, digest, outline, gasBudget }: HookSubject, visitor: string) {
  return {
    client: toClientId(caller),
    visitor,
    digest,
    sender: outline?.sender ?? null,
    targets: outline && [...outline.moveCalls],
    commands: outline && [...outline.commands],
    gasBudget,
  };
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new RangeError('The answer is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function toDecision(answer: unknown): PolicyDecision | null {
  if (typeof answer !== 'object' || answer === null || Object.keys(answer).length !== 1) return null;
  if ('allow' in answer) return answer.allow === true ? { allow: true } : null;
  const denial = 'deny' in answer ? answer.deny : null;
  if (typeof denial !== 'object' || denial === null || !('message' in denial)) return null;
  return typeof denial.message === 'string' ? { deny: { message: denial.message } } : null;
}

function toError(decision: PolicyDecision | null, isOpen: boolean): GraphQLError | null {
  if (decision === null) {
    const message = `The policy service of this gateway did not answer. ${nothingSent} Try again.`;
    return isOpen ? null : gatewayError('UPSTREAM_UNAVAILABLE', message, { upstream: 'policy' });
  }
  if ('allow' in decision) return null;
  const text = decision.deny.message
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, maxMessageLength)
    .replace(/\.$/, '')
    .trim();
  return toDenialError(deny('hook', null, text || 'the policy service of this gateway denies it'));
}
