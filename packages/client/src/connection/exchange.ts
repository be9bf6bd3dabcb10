import { type Clock, onNextTurn } from "@kubewright/clock";
import type { Dispatcher } from "undici";
import type { RequestDispatcher } from "./in-process-dispatcher.ts";

export interface ExchangeRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: string;
  readonly headers: Record<string, string | string[]>;
  readonly body: string | Uint8Array | undefined;
  readonly signal: AbortSignal | undefined;
  /** True for a watch, which receives nothing while nothing changes. */
  readonly endless: boolean;
  /** Called right before the request is written to its socket. If it throws, the request fails with that error. */
  readonly beforeSending?: (() => void) | undefined;
}

/**
 * A response whose body is still arriving. The caller must read it to the end or `cancel` it; otherwise, its connection
 * remains in use.
 */
export interface StreamedResponse {
  readonly status: number;
  /** Headers, keyed by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body as it arrives. It can be iterated only once. Leaving the loop cancels the rest. */
  readonly chunks: AsyncIterable<Buffer>;
  /** Returns the whole body. Alternative to {@link chunks}. */
  whole(): Promise<Buffer>;
  /** Cancels the rest of the body. */
  cancel(): void;
}

/** The method and host of a request. */
export interface ObservedRequest {
  readonly method: string;
  /** Host and port, such as `10.96.0.1:443`. */
  readonly host: string;
}

/** An observer that is notified of each attempt to send a request on a connection. Its methods must not throw. */
export interface RequestObserver {
  /**
   * Called when the response's headers have arrived or the attempt has failed. After a failure, `code` is `<error>` instead of a status.
   */
  answered(
    request: ObservedRequest & {
      /** Path and query. */
      readonly path: string;
      readonly code: string;
      readonly durationMs: number;
      readonly bytes: number;
    },
  ): void;
  /**
   * Called when the server rejected a request with 403. `message` is the server's message, which comes from an authorizer, admission
   * plugin, policy or webhook.
   */
  forbidden?(request: ObservedRequest & { readonly path: string; readonly message: string }): void;
  /** Called when a response's whole body has arrived. Not called for watches and logs. */
  received?(request: ObservedRequest & { readonly bytes: number }): void;
  /** Called after the lookup of a server's host name (without the port), whether or not it succeeded. */
  resolved?(lookup: { readonly host: string; readonly durationMs: number }): void;
  /** Called when a request is retried. `code` is the status that caused the retry, or `<error>`. */
  retried?(request: ObservedRequest & { readonly code: string }): void;
}

/** Status code to record for an attempt that received no response. */
export const noResponse = "<error>";

/** Calls {@link exchange} and notifies observers. */
export async function observedExchange(
  observers: ReadonlySet<RequestObserver>,
  clock: Clock,
  dispatcher: RequestDispatcher,
  request: ExchangeRequest,
): Promise<StreamedResponse> {
  if (observers.size === 0) return exchange(dispatcher, request);
  const began = clock.monotonic();
  const { method, path, body } = request;
  const report = (code: string): void => {
    const durationMs = clock.monotonic() - began;
    const observed = { method, path, host: new URL(request.origin).host, code, durationMs, bytes: bytesOf(body) };
    for (const observer of observers) observer.answered(observed);
  };
  try {
    const response = await exchange(dispatcher, request);
    report(String(response.status));
    return response;
  } catch (error) {
    report(noResponse);
    throw error;
  }
}

const bytesOf = (body: ExchangeRequest["body"]): number =>
  typeof body === "string" ? Buffer.byteLength(body) : (body?.byteLength ?? 0);

/** Amount of unread body data above which reading from the connection is paused. */
const highWaterBytes = 1 << 20;
const headersTimeoutMs = 300_000;
/** Header timeout for HTTP/1.1 requests, where no ping shows whether the server is alive. Servers respond to writes within a minute. */
const directHeadersTimeoutMs = 90_000;
const bodyTimeoutMs = 300_000;

/**
 * Sends one request with undici's lowest-level interface, which delivers chunks without an intermediate stream.
 *
 * @throws the signal's reason if it aborts before the response's headers have arrived; undici's error if the connection fails
 */
function exchange(dispatcher: RequestDispatcher, request: ExchangeRequest): Promise<StreamedResponse> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const body = new ArrivingBody(dispatcher.cancelsAtOnce ?? false);
    const abort = (): void => {
      body.fail(signal?.reason);
      reject(signal?.reason);
    };
    const settle = (): void => signal?.removeEventListener("abort", abort);
    signal?.addEventListener("abort", abort, { once: true });

    dispatcher.dispatch(
      {
        origin: request.origin,
        path: request.path,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        headersTimeout: request.beforeSending ? directHeadersTimeoutMs : headersTimeoutMs,
        bodyTimeout: request.endless ? 0 : bodyTimeoutMs,
      },
      {
        onRequestStart(controller) {
          request.beforeSending?.();
          body.attach(controller);
        },
        onResponseStart(_controller, status, headers) {
          if (status < 200) return;
          body.begin();
          const whole = (): Promise<Buffer> => body.whole();
          resolve({ status, headers, chunks: body, whole, cancel: () => body.fail(new Error("cancelled")) });
        },
        onResponseData(_controller, chunk) {
          body.push(chunk);
        },
        onResponseEnd() {
          settle();
          body.end();
        },
        onResponseError(_controller, error) {
          settle();
          body.fail(error);
          reject(error);
        },
      },
    );
  });
}

/** Buffers chunks between the socket that pushes them and the loop that reads them. */
class ArrivingBody implements AsyncIterable<Buffer> {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #state: "open" | "ended" | "failed" = "open";
  #error: unknown;
  #begun = false;
  #controller: Dispatcher.DispatchController | undefined;
  #wake: (() => void) | undefined;
  /** True if the whole body is read at once, so that the connection is never paused. */
  #isWhole = false;
  readonly #cancelsAtOnce: boolean;

  constructor(cancelsAtOnce: boolean) {
    this.#cancelsAtOnce = cancelsAtOnce;
  }

  attach(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#state === "failed") controller.abort(asError(this.#error));
  }

  /** Must be called when the response's headers have arrived. */
  begin(): void {
    this.#begun = true;
  }

  push(chunk: Buffer): void {
    if (this.#state !== "open") return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#isWhole) return;
    if (this.#bytes > highWaterBytes) this.#controller?.pause();
    this.#wake?.();
  }

  end(): void {
    if (this.#state === "open") this.#state = "ended";
    this.#wake?.();
  }

  fail(error: unknown): void {
    if (this.#state !== "open") return;
    this.#state = "failed";
    this.#error = error;
    this.#abort(asError(error));
    this.#wake?.();
  }

  #abort(error: Error): void {
    const controller = this.#controller;
    if (this.#begun || this.#cancelsAtOnce) controller?.abort(error);
    // If an HTTP/2 request is cancelled in the same event loop turn in which it was written, undici still sends the request but never sends
    // the cancellation. The server would keep an unread watch open.
    else if (controller) onNextTurn(() => controller.abort(error));
  }

  async whole(): Promise<Buffer> {
    this.#isWhole = true;
    if (this.#controller?.paused) this.#controller.resume();
    while (this.#state === "open") await this.#more();
    const chunks = this.#chunks;
    this.#chunks = [];
    if (this.#state === "failed") throw this.#error;
    const [only] = chunks;
    return chunks.length === 1 && only ? only : Buffer.concat(chunks);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    try {
      for (;;) {
        const chunks = this.#chunks;
        if (chunks.length > 0) {
          this.#chunks = [];
          this.#bytes = 0;
          if (this.#controller?.paused) this.#controller.resume();
          for (const chunk of chunks) yield chunk;
        } else if (this.#state === "ended") return;
        else if (this.#state === "failed") throw this.#error;
        else await this.#more();
      }
    } finally {
      this.#chunks = [];
      this.fail(new Error("the rest of the response was discarded"));
    }
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
