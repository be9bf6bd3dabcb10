import { initialEventsEndAnnotation } from "@kubewright/client";
import type { Clock, Timer } from "@kubewright/clock";
import { WatchBody } from "../../server/watch-body.ts";
import { type ApiResource, apiVersionOf } from "./api-resource.ts";
import type { StoredChange } from "./api-store.ts";

const bookmarkMs = 60_000;

interface ApiWatchOptions {
  readonly resource: ApiResource;
  readonly namespace: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly lagMs: () => number;
  readonly version: () => number;
  /** Converts an object for the watch. */
  readonly shown: (object: object) => object;
  readonly onClosed: (watch: ApiWatch) => void;
}

/** The server's end of one watch. Its events arrive in order, and late if the server lags behind. */
export class ApiWatch {
  readonly body: WatchBody;
  readonly #options: ApiWatchOptions;
  readonly #timers = new Set<Timer>();
  #busyUntilMs = 0;
  /** Number of delayed events. Nothing may overtake them, not even within the same millisecond. */
  #late = 0;

  constructor(options: ApiWatchOptions) {
    this.#options = options;
    this.body = new WatchBody(options.signal, () => this.#close());
    this.#after(options.timeoutMs, () => this.end());
    this.#bookmarkLater();
  }

  deliver(resource: ApiResource, { type, object }: Pick<StoredChange, "type" | "object">): void {
    const { resource: own, namespace, shown } = this.#options;
    if (resource !== own || (namespace !== "" && namespace !== object.metadata.namespace)) return;
    this.#send({ type, object: shown(object) });
  }

  /** Called when all existing objects were sent. */
  endOfState(): void {
    this.#bookmark({ [initialEventsEndAnnotation]: "true" });
  }

  end(error?: Error): void {
    this.body.end(error);
    this.#close();
  }

  #send(event: object): void {
    const { clock, lagMs } = this.#options;
    const line = Buffer.from(`${JSON.stringify(event)}\n`);
    const nowMs = clock.monotonic();
    const dueMs = Math.max(this.#busyUntilMs, nowMs + lagMs());
    this.#busyUntilMs = dueMs;
    if (dueMs <= nowMs && this.#late === 0) {
      this.body.push(line);
      return;
    }
    this.#late++;
    this.#after(dueMs - nowMs, () => {
      this.#late--;
      this.body.push(line);
    });
  }

  #bookmarkLater(): void {
    this.#after(bookmarkMs, () => {
      this.#bookmark();
      this.#bookmarkLater();
    });
  }

  #bookmark(annotations: Readonly<Record<string, string>> = {}): void {
    const { resource, version } = this.#options;
    const metadata = { resourceVersion: String(version()), annotations };
    this.#send({ type: "BOOKMARK", object: { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata } });
  }

  #after(ms: number, callback: () => void): void {
    const timer = this.#options.clock.after(ms, () => {
      this.#timers.delete(timer);
      callback();
    });
    this.#timers.add(timer);
  }

  #close(): void {
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
    this.#options.onClosed(this);
  }
}
