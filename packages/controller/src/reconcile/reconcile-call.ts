import { splitKey } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import type { Logger } from "@kubewright/log";
import type { EventRecorder } from "@kubewright/recorder";
import type { ReconcileContext } from "./reconciler.ts";
import type { Cause } from "./request.ts";

/** Values that all reconciles of a controller share. */
export interface SharedContext<R> {
  /** Makes the client for one call, on first use. */
  readonly clientFor: (request: R, log: () => Logger) => ReadWriter;
  readonly recorder: EventRecorder;
  readonly log: Logger;
}

/** The context of one call. Logger, client and ID are made on first use, because most reconciles need none of them. */
export class ReconcileCall<R> implements ReconcileContext {
  readonly recorder: EventRecorder;
  readonly signal: AbortSignal;
  readonly causes: readonly Cause[];
  readonly #request: R;
  readonly #shared: SharedContext<R>;
  #reconcileID: string | undefined;
  #log: Logger | undefined;
  #client: ReadWriter | undefined;

  constructor(shared: SharedContext<R>, request: R, signal: AbortSignal, causes: readonly Cause[]) {
    this.#shared = shared;
    this.recorder = shared.recorder;
    this.#request = request;
    this.signal = signal;
    this.causes = causes;
  }

  get reconcileID(): string {
    this.#reconcileID ??= crypto.randomUUID();
    return this.#reconcileID;
  }

  get client(): ReadWriter {
    this.#client ??= this.#shared.clientFor(this.#request, () => this.log);
    return this.#client;
  }

  get log(): Logger {
    this.#log ??= this.#shared.log.child({ ...shown(this.#request), reconcileID: this.reconcileID });
    return this.#log;
  }
}

const keys: readonly (keyof ReconcileContext)[] = ["client", "log", "signal", "causes", "recorder", "reconcileID"];

const asFields: ProxyHandler<ReconcileContext> = {
  get: (call, key) => Reflect.get(call, key),
  ownKeys: () => keys,
  getOwnPropertyDescriptor: (call, key) =>
    keys.some((known) => known === key)
      ? { value: Reflect.get(call, key), enumerable: true, configurable: true, writable: true }
      : undefined,
};

/**
 * Returns a call in the form for reconcilers: with fields, so that `{ ...context }` copies all of them. A proxy is used because defining
 * lazy fields on each object would take twice as long as a reconcile that has nothing to do.
 */
export const contextOf = (call: ReconcileContext): ReconcileContext => new Proxy(call, asFields);

function shown(request: unknown): object {
  if (typeof request !== "string") return { request };
  try {
    const { namespace, name } = splitKey(request);
    return namespace ? { namespace, name } : { name };
  } catch {
    return { request };
  }
}
