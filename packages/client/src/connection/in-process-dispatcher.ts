import type { Clock, Timer } from "@kubewright/clock";
import type { Dispatcher } from "undici";
import type { InProcessHandle, InProcessResponse } from "../settings/connection-settings.ts";

/** The part of undici's dispatchers that a connection uses. */
export interface RequestDispatcher {
  /** True if a request can be cancelled in the turn in which it was sent. */
  readonly cancelsAtOnce?: true | undefined;
  dispatch(options: RequestOptions, handler: Dispatcher.DispatchHandler): unknown;
  /** Resolves when all requests have ended. */
  close(): Promise<void>;
  /** Ends all requests. */
  destroy(): Promise<void>;
}

/** A request to dispatch. */
export interface RequestOptions {
  readonly origin: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Record<string, string | string[]>;
  readonly body: string | Uint8Array | null;
  /** Time limit in milliseconds for the response's headers. */
  readonly headersTimeout: number;
  /** Time limit in milliseconds between two chunks of the body; 0 for none. */
  readonly bodyTimeout: number;
}

/**
 * Dispatches requests to a server in this process, with undici's interface. It opens no sockets and uses only its own
 * clock.
 */
export class InProcessDispatcher implements RequestDispatcher {
  readonly cancelsAtOnce = true;
  readonly #handle: InProcessHandle;
  readonly #clock: Clock;
  readonly #running = new Map<RunningRequest, Promise<void>>();

  constructor(handle: InProcessHandle, clock: Clock) {
    this.#handle = handle;
    this.#clock = clock;
  }

  dispatch(options: RequestOptions, handler: Dispatcher.DispatchHandler): void {
    const running = new RunningRequest(this.#clock);
    const done = running.run(options, handler, this.#handle).finally(() => this.#running.delete(running));
    this.#running.set(running, done);
  }

  async close(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async destroy(): Promise<void> {
    for (const running of this.#running.keys()) running.abort(new Error("the connection is closed"));
    await this.close();
  }
}

/** A request in progress, which its receiver can pause and abort. */
class RunningRequest implements Dispatcher.DispatchController {
  readonly #clock: Clock;
  readonly #cancelled = new AbortController();
  #resumed: PromiseWithResolvers<void> | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get aborted(): boolean {
    return this.#cancelled.signal.aborted;
  }

  get reason(): Error | null {
    const { reason } = this.#cancelled.signal;
    return reason instanceof Error ? reason : null;
  }

  get paused(): boolean {
    return this.#resumed !== undefined;
  }

  abort(reason: Error): void {
    this.#cancelled.abort(reason);
    this.resume();
  }

  pause(): void {
    this.#resumed ??= Promise.withResolvers();
  }

  resume(): void {
    this.#resumed?.resolve();
    this.#resumed = undefined;
  }

  /** Sends the request and passes the response to the handler. Never rejects, because the handler receives all errors. */
  async run(
    { method, path, headers, body, headersTimeout, bodyTimeout }: RequestOptions,
    handler: Dispatcher.DispatchHandler,
    handle: InProcessHandle,
  ): Promise<void> {
    const { signal } = this.#cancelled;
    try {
      handler.onRequestStart?.(this, undefined);
      signal.throwIfAborted();
      const bytes = typeof body === "string" ? Buffer.from(body) : (body ?? undefined);
      const response = await this.#within(headersTimeout, "Headers Timeout Error", () =>
        handle({ method, path, headers, body: bytes, signal }),
      );
      await this.#receive(response, handler, bodyTimeout);
    } catch (error) {
      handler.onResponseError?.(this, error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #receive(
    { status, headers, body }: InProcessResponse,
    handler: Dispatcher.DispatchHandler,
    bodyTimeout: number,
  ): Promise<void> {
    handler.onResponseStart?.(this, status, receivedHeaders(headers));
    const chunks = body[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await this.#within(bodyTimeout, "Body Timeout Error", () => chunks.next());
      this.#cancelled.signal.throwIfAborted();
      if (done) break;
      handler.onResponseData?.(this, Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      await this.#resumed?.promise;
    }
    handler.onResponseEnd?.(this, {});
  }

  /** Waits for a step of the exchange. Cancels the exchange if the step takes longer than `ms` milliseconds. 0 means no limit. */
  async #within<T>(ms: number, message: string, step: () => Promise<T>): Promise<T> {
    const timer: Timer | undefined =
      ms > 0 ? this.#clock.after(ms, () => this.abort(new Error(message)), { unref: true }) : undefined;
    try {
      return await step();
    } finally {
      timer?.cancel();
    }
  }
}

function receivedHeaders(headers: InProcessResponse["headers"]): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === "string" ? value : [...value]]),
  );
}
