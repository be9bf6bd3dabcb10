import type { InProcessRequest, InProcessResponse } from "@kubewright/client";
import type { Clock, Timer } from "@kubewright/clock";
import { WatchBody } from "../../server/watch-body.ts";
import { type ApiCall, apiCallOf } from "./api-call.ts";
import { type ApiFaults, refusalOf, type WriteFault } from "./api-faults.ts";
import { leases } from "./api-resource.ts";

const lostAfterMs = 30_000;

export interface ApiLinkOptions {
  /** Passes a request to the API server. */
  readonly handle: (request: InProcessRequest) => Promise<InProcessResponse>;
  readonly faults: ApiFaults;
  readonly clock: Clock;
  readonly latencyMs: () => number;
  /** Called with every call that arrives, and its body. */
  readonly onCall: (call: ApiCall, body: unknown) => void;
}

/** The network between one process and the API server. After it is cut off, no request and no answer gets through. */
export class ApiLink {
  readonly #options: ApiLinkOptions;
  readonly #watches = new Set<LateWatch>();
  #isCutOff = false;

  constructor(options: ApiLinkOptions) {
    this.#options = options;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** Simulates the end of the process, even if its code continues to run here. */
  cutOff(): void {
    this.#isCutOff = true;
    for (const watch of [...this.#watches]) watch.body.fallSilent();
  }

  /** Ends all watches. */
  cutWatches(error: Error | undefined): void {
    for (const watch of [...this.#watches]) watch.end(error);
  }

  readonly handle = async (request: InProcessRequest): Promise<InProcessResponse> => {
    const { faults, handle, onCall } = this.#options;
    await this.#wait(request);
    if (faults.isDown) throw networkError("ECONNREFUSED");
    const call = apiCallOf(request);
    if (!call) return handle(request);
    const isWrite = call.method !== "GET";
    const planned = isWrite && call.resource !== leases ? faults.takeWriteFault() : undefined;
    if (planned && !planned.isDone) return this.#spoilt(request, planned.fault);
    onCall(call, request.body && JSON.parse(Buffer.from(request.body).toString()));
    if (/[?&]watch=(true|1)\b/.test(request.path)) return this.#watch(request);
    const response = await handle(request);
    await this.#wait(request);
    return planned ? this.#spoilt(request, planned.fault) : response;
  };

  async #watch(request: InProcessRequest): Promise<InProcessResponse> {
    const { handle, faults, clock } = this.#options;
    const cancelled = new AbortController();
    const response = await handle({ ...request, signal: cancelled.signal });
    const watch = new LateWatch(response.body, {
      clock,
      signal: request.signal,
      lagMs: () => faults.lagMs,
      onClosed: () => {
        this.#watches.delete(watch);
        cancelled.abort(new Error("the watch was closed"));
      },
    });
    this.#watches.add(watch);
    return { ...response, body: watch.body };
  }

  /** Waits for the latency of one direction. Never resolves for a dead process. */
  async #wait({ signal }: InProcessRequest): Promise<void> {
    signal?.throwIfAborted();
    await this.#options.clock.sleep(this.#options.latencyMs(), signal);
    signal?.throwIfAborted();
    if (this.#isCutOff) await untilAborted(signal);
  }

  async #spoilt({ signal }: InProcessRequest, fault: WriteFault): Promise<InProcessResponse> {
    const refusal = refusalOf(fault);
    if (!refusal) {
      await this.#options.clock.sleep(lostAfterMs, signal);
      throw networkError("ECONNRESET");
    }
    const { retryAfterSeconds } = refusal.status.details ?? {};
    const headers = {
      "content-type": "application/json",
      ...(retryAfterSeconds ? { "retry-after": String(retryAfterSeconds) } : {}),
    };
    return { status: refusal.code, headers, body: once(Buffer.from(JSON.stringify(refusal.status))) };
  }
}

interface LateWatchOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly lagMs: () => number;
  readonly onClosed: () => void;
}

/** One watch, whose events arrive in order, and late if the server lags behind. */
export class LateWatch {
  readonly body: WatchBody;
  readonly #options: LateWatchOptions;
  readonly #timers = new Set<Timer>();
  #busyUntilMs = 0;
  /** Number of delayed events. Nothing may overtake them, not even within the same millisecond. */
  #late = 0;

  constructor(source: AsyncIterable<Uint8Array>, options: LateWatchOptions) {
    this.#options = options;
    this.body = new WatchBody(options.signal, () => this.#close());
    void this.#receive(source);
  }

  end(error?: Error): void {
    this.body.end(error);
    this.#close();
  }

  async #receive(source: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of source) this.#later(() => this.body.push(Buffer.from(chunk)));
      this.#later(() => this.end());
    } catch (error) {
      this.end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #later(what: () => void): void {
    const { clock, lagMs } = this.#options;
    const nowMs = clock.monotonic();
    const dueMs = Math.max(this.#busyUntilMs, nowMs + lagMs());
    this.#busyUntilMs = dueMs;
    if (dueMs <= nowMs && this.#late === 0) {
      what();
      return;
    }
    this.#late++;
    const timer = clock.after(dueMs - nowMs, () => {
      this.#timers.delete(timer);
      this.#late--;
      what();
    });
    this.#timers.add(timer);
  }

  #close(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#options.onClosed();
  }
}

const networkError = (code: string): Error => Object.assign(new Error(code), { code });

async function* once(chunk: Buffer): AsyncGenerator<Buffer, void, undefined> {
  yield chunk;
}

/** Never resolves. */
function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
