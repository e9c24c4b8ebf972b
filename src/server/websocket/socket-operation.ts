import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Sender } from '../../callers/identify-caller.ts';
import { gatewayError } from '../../errors/gateway-error.ts';
import { addErrorCodes } from '../../errors/reported-errors.ts';
import { printJson } from '../../json/exact-json.ts';
import { printInTurns } from '../../json/print-in-turns.ts';
import type { ChunkedBody } from '../../ledger/answers/data-extent.ts';
import type { AdmitOperation, OperationAdmission, ServerContext } from '../../operation/admit-operation.ts';
import type { OperationRunner } from '../../operation/operation-runner.ts';
import type { OperationRequest } from '../../operation/parse-request.ts';
import { type ResultReader, ResultStream, type ResultText } from '../../operation/subscriptions/result-stream.ts';
import type { SocketOperationFacts } from '../../telemetry/events.ts';
import type { OperationFacts } from '../../telemetry/request-line.ts';
import type { Trace } from '../../telemetry/trace.ts';
import type { Tracing } from '../../telemetry/tracing.ts';
import type { RequestMemory } from '../../upstream/cancellation.ts';
import type { FairTurns } from '../../upstream/fair-turns.ts';
import { type BytesInFlight, tooMuchInFlight } from '../read-body.ts';
import { toShown, toShownResult } from '../write-answer.ts';
import type { MessageBudget } from './socket-bounds.ts';
import type { SocketWriter } from './socket-writer.ts';

export interface SocketOperationOptions {
  readonly admit: Pick<AdmitOperation, 'enter' | 'decide'>;
  readonly runner: Pick<OperationRunner, 'subscribe' | 'runWhole'>;
  readonly turns: Pick<FairTurns, 'run' | 'runNext'>;
  readonly bytesInFlight: Pick<BytesInFlight, 'take'>;
  readonly maskError: (error: unknown) => GraphQLError;
  readonly maxOperations: number;
  /** Called once per operation, when it has ended. */
  readonly onOperation: (operation: SocketOperationFacts, address: string) => void;
  /** `null` when no operations are traced. */
  readonly tracing: Pick<Tracing, 'begin'> | null;
}

export interface OperationSocket {
  readonly requestId: string;
  readonly address: string;
  readonly sender: Sender;
  readonly showUsage: boolean;
  readonly budget: MessageBudget;
  readonly writer: SocketWriter;
  /** Number of running operations, including those that the client has completed. */
  readonly running: number;
  began(): void;
  ended(): void;
  /** Frees the id of an operation whose last message is being sent. */
  forget(id: string): void;
}

/** Characters of an operation id, which each result of a stream repeats. */
const maxIdLength = 128;
const closingBrace = Buffer.from('}');
/** Errors of one operation that are inspected for the log: a stream may have one in each of its results. */
const maxNotedErrors = 10;

/**
 * One operation, from its `subscribe` message on. The client gets an `error`, or each result as `next` and then `complete`.
 * After the client completes the operation, the gateway sends nothing more for it.
 */
export class SocketOperation implements ServerContext, ResultReader {
  readonly requestId: string;
  readonly sender: Sender;
  readonly showUsage: boolean;
  readonly requestBytes: number;
  readonly arrivedAt = performance.now();
  readonly operations: OperationFacts[] = [];
  readonly codes: string[] = [];
  held: RequestMemory | undefined;
  readonly trace: Trace | null;
  readonly #id: string;
  readonly #socket: OperationSocket;
  readonly #options: SocketOperationOptions;
  #turnKey = '';
  #notedErrors = 0;
  #isOver = false;
  #isGone = false;
  #onGone: (() => void)[] = [];
  #results: ResultStream | null = null;
  #nextPrefix = '';

  /** @param requestBytes the cost of its message in the budget */
  constructor(id: string, requestBytes: number, socket: OperationSocket, options: SocketOperationOptions) {
    this.#id = id;
    this.#socket = socket;
    this.#options = options;
    this.requestId = socket.requestId;
    this.sender = socket.sender;
    this.showUsage = socket.showUsage;
    this.trace = options.tracing?.begin(undefined) ?? null;
    this.requestBytes = requestBytes;
  }

  /** Resolves when the last message was sent, or when the stream is open. Rejects for a fault of the gateway. */
  run(request: OperationRequest): Promise<void> {
    const { budget, running } = this.#socket;
    const unread = refuseUnread(this.#id, running, this.#options.maxOperations);
    if (unread) {
      // A rejected attempt counts all the same.
      budget.charge(this.requestBytes);
      this.#options.admit.enter(this).catch(this.#options.maskError);
      this.#log([unread]);
      return this.#send('error', [unread]);
    }
    this.#socket.began();
    // Not one async function: its frame would hold the request with its text until the operation ends.
    return this.#admit(request).then(
      (admission) => this.#answer(admission),
      (error: unknown) => {
        this.#end();
        throw error;
      },
    );
  }

  async #answer(admission: OperationAdmission): Promise<void> {
    try {
      if (admission.kind === 'refused') {
        const isOverLimit = admission.errors.some(({ extensions }) => extensions.code === 'RATE_LIMITED');
        if (isOverLimit) this.#socket.budget.charge(this.requestBytes);
        this.#note(admission.errors);
        this.#end();
        return await this.#send('error', admission.errors.map(toShown));
      }
      const { runner } = this.#options;
      const answer = await (admission.operation.type === 'subscription'
        ? runner.subscribe(admission, this)
        : runner.runWhole(admission, this));
      if (answer instanceof ResultStream) return this.follow(answer);
      if (!('chunks' in answer)) this.#note(answer.errors);
      this.#end();
      await ('chunks' in answer ? this.#sendLast(answer.chunks) : this.#sendResult(answer));
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  async #admit(request: OperationRequest): Promise<OperationAdmission> {
    const entry = await this.#options.admit.enter(this);
    if (entry.kind === 'refused') return { kind: 'refused', errors: [entry.error], usage: null };
    const held = this.#options.bytesInFlight.take(this.#socket.address, this.requestBytes);
    if (!held) return { kind: 'refused', errors: [tooMuchInFlight()], usage: null };
    this.held = held;
    this.#turnKey = entry.caller.rate.key;
    return this.#options.admit.decide(this, entry.caller, request);
  }

  /** Sends the results of a stream until it ends or the client leaves. */
  follow(stream: ResultStream): void {
    this.#results = stream;
    if (this.#isGone) {
      this.#leaveStream(stream);
      return;
    }
    this.#nextPrefix = toBytes(`{"id":${JSON.stringify(this.#id)},"type":"next","payload":`);
    stream.pushTo(this);
  }

  get isReady(): boolean {
    return this.#socket.writer.isReadyFor(this);
  }

  resume(): void {
    this.#results?.resume();
  }

  takeText({ bytes }: ResultText): void {
    if (!this.#isOver) this.#socket.writer.push(`${this.#nextPrefix}${bytes}}`);
  }

  takeResult(result: ExecutionResult): void {
    if (this.#isOver) return;
    this.#note(result.errors);
    this.#socket.writer.push(`${this.#nextPrefix}${toBytes(printJson(toShownResult(result)))}}`);
  }

  end(): void {
    if (this.#end()) void this.#send('complete');
  }

  fail(error: unknown): void {
    const originalError = error instanceof Error ? error : new Error(String(error));
    if (this.#end()) void this.#send('error', [new GraphQLError(originalError.message, { originalError })]);
  }

  /** The client has completed the operation or disconnected. */
  leave(): void {
    this.#isGone = true;
    if (this.#results) this.#leaveStream(this.#results);
    const listeners = this.#onGone;
    this.#onGone = [];
    if (listeners.length === 0) return;
    void this.#options.turns.run(this.#turnKey, null, () => {
      for (const abandon of listeners) abandon();
    });
  }

  #leaveStream(results: ResultStream): void {
    results.leave();
    this.#end();
  }

  isGone(): boolean {
    return this.#isGone;
  }

  onGone(abandon: () => void): void {
    if (this.#isGone) abandon();
    else this.#onGone = [...this.#onGone, abandon];
  }

  /** Over HTTP, the remaining rate limit is in headers, which a WebSocket message does not have. */
  onStanding(): void {}

  /** Does nothing once the client has completed the operation: a new operation may have reused the id. */
  #send(type: 'next' | 'error' | 'complete', payload?: unknown): Promise<void> {
    if (this.#isGone) return Promise.resolve();
    if (type !== 'next') this.#socket.forget(this.#id);
    return this.#socket.writer.send(printJson({ id: this.#id, type, payload }));
  }

  async #sendResult(result: ExecutionResult): Promise<void> {
    const { turns } = this.#options;
    const printed = printInTurns(toShownResult(result), (work) => turns.runNext(this.#turnKey, this, work));
    return this.#sendLast(typeof printed === 'string' ? [Buffer.from(printed)] : (await printed).chunks);
  }

  /** Sends a response and `complete`. A long response is not copied: many operations may share its bytes. */
  #sendLast(chunks: ChunkedBody['chunks']): Promise<void> {
    if (this.#isGone) return Promise.resolve();
    this.#socket.forget(this.#id);
    const id = JSON.stringify(this.#id);
    const next = [Buffer.from(`{"id":${id},"type":"next","payload":`), ...chunks, closingBrace];
    return this.#socket.writer.sendBytes(next, Buffer.from(`{"id":${id},"type":"complete"}`));
  }

  #note(errors: readonly GraphQLError[] = []): void {
    if (this.#notedErrors >= maxNotedErrors) return;
    this.#notedErrors += errors.length;
    addErrorCodes(this.codes, errors);
  }

  /** @returns `false` if it had ended before */
  #end(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#socket.writer.leave(this);
    this.#socket.ended();
    this.held?.release();
    this.#log();
    return true;
  }

  #log(errors: readonly GraphQLError[] = []): void {
    this.#note(errors);
    const durationMs = Math.round((performance.now() - this.arrivedAt) * 100) / 100;
    const facts = { requestId: this.requestId, durationMs, operations: this.operations, trace: this.trace };
    this.#options.onOperation(this.codes.length === 0 ? facts : { ...facts, codes: this.codes }, this.#socket.address);
  }
}

/** Why an operation is rejected before admission; `null` = it is not. */
function refuseUnread(id: string, running: number, maxOperations: number): GraphQLError | null {
  if (id.length > maxIdLength) {
    return gatewayError('BAD_REQUEST', `The id of an operation has at most ${maxIdLength} characters.`);
  }
  if (running < maxOperations) return null;
  return gatewayError('RATE_LIMITED', `Over the limit of ${maxOperations} concurrent operations on one WebSocket.`);
}

/** The text in UTF-8, with each byte as one character. */
function toBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}
