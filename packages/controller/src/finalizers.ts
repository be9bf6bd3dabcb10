import {
  addFinalizer,
  findCause,
  hasFinalizer,
  isErrorWithCode,
  type KubeObject,
  KubewrightError,
  removeFinalizer,
} from "@kubewright/apimachinery";
import { errorText } from "@kubewright/log";

/** Changes to an object that the caller must write. */
export interface FinalizeResult {
  /** True if the object itself, rather than its status, was changed. */
  readonly updated: boolean;
  /** True if the object's status was changed. */
  readonly statusUpdated: boolean;
}

/**
 * Cleans up after an object that is being deleted. The finalizer is removed once the promise resolves, and remains if
 * the promise rejects. If the function changes the object, it must return which parts it changed. To report changes on
 * failure as well, such as an updated condition, reject with a {@link FinalizeError}.
 *
 * @see controller-runtime pkg/finalizer Finalizer
 */
export type Finalize<T extends KubeObject> = (
  object: T,
  signal: AbortSignal,
  // biome-ignore lint/suspicious/noConfusingVoidType: most finalizers change nothing and return nothing
) => Promise<Partial<FinalizeResult> | void> | Partial<FinalizeResult> | void;

/**
 * Thrown after all finalizers have run if some of them failed. `result` contains their changes, which the caller must
 * write.
 */
export class FinalizeError extends KubewrightError {
  override readonly name = "FinalizeError";
  readonly code = "ERR_FINALIZE";
  /** Errors of the failed finalizers, in the order of the finalizers. */
  readonly errors: readonly Error[];
  /** Changes that were made despite the failures. The caller must write them. */
  readonly result: FinalizeResult;

  /** @param changed changes that were made despite the failures. Default: none. */
  constructor(errors: readonly Error[], changed: Partial<FinalizeResult> = {}) {
    super(errors.map(({ message }) => message).join("; "));
    this.errors = errors;
    const { updated = false, statusUpdated = false } = changed;
    this.result = { updated, statusUpdated };
  }
}

/** Reports whether an error is a {@link FinalizeError}, whose changes (`result`) the caller must still write. */
export const isFinalizeError = isErrorWithCode<FinalizeError>("ERR_FINALIZE");

/**
 * The finalizers of a kind. Call {@link finalize} in a reconciler: if the object is being deleted, it runs and removes
 * the finalizers; otherwise, it adds them.
 *
 * ```ts
 * const { updated } = await finalizers.finalize(site, signal);
 * if (updated) await client.update(Site, site);
 * ```
 *
 * @see controller-runtime pkg/finalizer Finalizers
 */
export class Finalizers<T extends KubeObject = KubeObject> {
  readonly #registered = new Map<string, Finalize<T>>();

  /** Registers a finalizer. @throws {Error} if a finalizer with that key is already registered */
  register(key: string, finalize: Finalize<T>): this {
    if (this.#registered.has(key)) throw new Error(`finalizer for key "${key}" already registered`);
    this.#registered.set(key, finalize);
    return this;
  }

  /**
   * Adds finalizers to an object or, if it is being deleted, runs and removes them. Changes `object` without writing it. Finalizers run one
   * after the other in the order of registration. If one fails, the others still run.
   *
   * @throws {FinalizeError} after all finalizers have run, if any failed
   */
  async finalize(object: T, signal: AbortSignal): Promise<FinalizeResult> {
    if (object.metadata.deletionTimestamp === undefined) return { updated: this.#add(object), statusUpdated: false };
    let [updated, statusUpdated] = [false, false];
    const errors: Error[] = [];
    for (const [key, finalize] of this.#registered) {
      if (!hasFinalizer(object, key)) continue;
      try {
        const changed = (await finalize(object, signal)) ?? {};
        updated = removeFinalizer(object, key) || changed.updated === true || updated;
        statusUpdated = changed.statusUpdated === true || statusUpdated;
      } catch (cause) {
        const { result } = findCause(cause, isFinalizeError) ?? {};
        updated = result?.updated === true || updated;
        statusUpdated = result?.statusUpdated === true || statusUpdated;
        errors.push(new Error(`finalizer "${key}" failed: ${errorText(cause)}`, { cause }));
      }
    }
    if (errors.length > 0) throw new FinalizeError(errors, { updated, statusUpdated });
    return { updated, statusUpdated };
  }

  #add(object: T): boolean {
    return [...this.#registered.keys()].map((key) => addFinalizer(object, key)).some(Boolean);
  }
}
