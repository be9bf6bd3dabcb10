import { addFinalizer, findCause, hasFinalizer, type KubeObject, removeFinalizer } from "@kubewright/apimachinery";
import { errorText } from "@kubewright/log";

/** What was changed of an object and is yet to be written. */
export interface FinalizeResult {
  /** The object itself. */
  readonly updated: boolean;
  /** Its status. */
  readonly statusUpdated: boolean;
}

/**
 * Cleans up after an object that is being deleted; its finalizer is removed once this resolves. It may change the object, and then says
 * so. Rejecting keeps the finalizer; a {@link FinalizeError} also reports what was changed nevertheless, a condition say.
 *
 * @see controller-runtime pkg/finalizer Finalizer
 */
export type Finalize<T extends KubeObject> = (
  object: T,
  signal: AbortSignal,
  // biome-ignore lint/suspicious/noConfusingVoidType: most finalizers change nothing and return nothing
) => Promise<Partial<FinalizeResult> | void> | Partial<FinalizeResult> | void;

/** Some finalizers failed. The others ran, and what they and these changed is in `result`: it is yet to be written. */
export class FinalizeError extends AggregateError {
  override readonly name = "FinalizeError";
  /** What was changed nevertheless, and is yet to be written. */
  readonly result: FinalizeResult;

  /** @param changed default: nothing */
  constructor(errors: readonly Error[], changed: Partial<FinalizeResult> = {}) {
    super(errors, errors.map(({ message }) => message).join("; "));
    const { updated = false, statusUpdated = false } = changed;
    this.result = { updated, statusUpdated };
  }
}

/** Whether `Finalizers.finalize` failed in part, so that what changed (`result`) is yet to be written. */
export const isFinalizeError = (error: unknown): error is FinalizeError => error instanceof FinalizeError;

/**
 * The finalizers of a kind, each with what it does. One call to {@link finalize} in a reconciler adds them to objects that live, and
 * runs and removes them on objects that are being deleted.
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

  /** @throws {Error} if there is one of that key already */
  register(key: string, finalize: Finalize<T>): this {
    if (this.#registered.has(key)) throw new Error(`finalizer for key "${key}" already registered`);
    this.#registered.set(key, finalize);
    return this;
  }

  /**
   * Changes `object`, which is not written here. Finalizers run one after the other, in the order of registration; one that fails does
   * not keep the others from running.
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
