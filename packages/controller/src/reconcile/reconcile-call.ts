import { splitKey } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import type { Logger } from "@kubewright/log";
import type { EventRecorder } from "@kubewright/recorder";
import type { Cause } from "./cause.ts";
import type { ReconcileContext } from "./reconciler.ts";

/** What all reconciles of a controller have in common. */
export interface SharedContext<R> {
  /** The client for one call, made when it is first asked for. */
  readonly clientFor: (request: R, log: () => Logger) => ReadWriter;
  readonly recorder: EventRecorder;
  readonly log: Logger;
}

/** The context of one call. Logger, client and ID are made when they are first asked for: most reconciles have nothing to say. */
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
 * A call as reconcilers see it: with fields, all of which `{ ...context }` has as well. Fields of its own that are made when they are
 * first asked for would take twice as long to define as a reconcile that has nothing to do.
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
