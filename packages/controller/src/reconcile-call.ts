import { randomUUID } from "node:crypto";
import { splitKey } from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";
import type { Logger } from "@kubewright/log";
import type { EventRecorder } from "@kubewright/recorder";
import type { Cause } from "./cause.ts";
import type { ReconcileContext } from "./reconciler.ts";

/** What all reconciles of a controller have in common. */
export interface SharedContext {
  readonly client: ReadWriter;
  readonly recorder: EventRecorder;
  readonly log: Logger;
}

/** The context of one call. The logger is made when it is first asked for: most reconciles have nothing to say. */
export class ReconcileCall<R> implements ReconcileContext {
  readonly client: ReadWriter;
  readonly recorder: EventRecorder;
  readonly signal: AbortSignal;
  readonly causes: readonly Cause[];
  readonly reconcileID: string = randomUUID();
  readonly #request: R;
  readonly #parent: Logger;
  #log: Logger | undefined;

  constructor(shared: SharedContext, request: R, signal: AbortSignal, causes: readonly Cause[]) {
    this.client = shared.client;
    this.recorder = shared.recorder;
    this.#parent = shared.log;
    this.#request = request;
    this.signal = signal;
    this.causes = causes;
  }

  get log(): Logger {
    this.#log ??= this.#parent.child({ ...shown(this.#request), reconcileID: this.reconcileID });
    return this.#log;
  }
}

function shown(request: unknown): object {
  if (typeof request !== "string") return { request };
  try {
    const { namespace, name } = splitKey(request);
    return namespace ? { namespace, name } : { name };
  } catch {
    return { request };
  }
}
