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

/** Changes to an object that must still be written. */
export interface FinalizeResult {
  /** True if the object itself was changed. */
  readonly updated: boolean;
  /** True if its status was changed. */
  readonly statusUpdated: boolean;
}

/**
 * Cleans up after an object that is being deleted; the finalizer is removed once the promise resolves. The function may change the
 * object and then returns the changes. If it rejects, the finalizer stays; a {@link FinalizeError} also reports changes that were made
 * nevertheless, for example to a condition.
 *
 * @see controller-runtime pkg/finalizer Finalizer
 *
 */
export type Finalize<T extends KubeObject> = (
  object: T,
  signal: AbortSignal,
  // biome-ignore lint/suspicious/noConfusingVoidType: most finalizers change nothing and return nothing
) => Promise<Partial<FinalizeResult> | void> | Partial<FinalizeResult> | void;

/** Thrown if some finalizers failed. The others ran; `result` contains all their changes, which must still be written. */
export class FinalizeError extends KubewrightError {
  override readonly name = "FinalizeError";
  readonly code = "ERR_FINALIZE";
  /** Errors of the failed finalizers, in their order. */
  readonly errors: readonly Error[];
  /** Changes that were made nevertheless, and must still be written. */
  readonly result: FinalizeResult;

  /** @param changed default: nothing */
  constructor(errors: readonly Error[], changed: Partial<FinalizeResult> = {}) {
    super(errors.map(({ message }) => message).join("; "));
    this.errors = errors;
    const { updated = false, statusUpdated = false } = changed;
    this.result = { updated, statusUpdated };
  }
}

/** Reports whether `Finalizers.finalize` failed partly, so that its changes (`result`) must still be written. */
export const isFinalizeError = isErrorWithCode<FinalizeError>("ERR_FINALIZE");

/**
 * A kind's finalizers and their functions. One call of {@link finalize} in a reconciler adds them to live objects, and runs and
 * removes them for objects that are being deleted.
 *
 * ```ts
 * const { updated } = await finalizers.finalize(site, signal);
 * if (updated) await client.update(Site, site);
 * ```
 *
 * @see controller-runtime pkg/finalizer Finalizers
 *
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
   * Changes `object`, without writing it. Finalizers run one after the other, in the order of registration; a failed one does not prevent
   * the others.
   *
   * @throws {FinalizeError} if any failed, after all have run
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
