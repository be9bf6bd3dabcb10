import type { ObjectKey } from "@kubewright/apimachinery";

/** A request for a reconcile: the key of an object, without information about the change. */
export type Request = ObjectKey;

/**
 * Result of a successful reconcile. If the reconciler returns nothing or an empty result, the request is done.
 *
 * @see controller-runtime pkg/reconcile Result
 */
export interface Result {
  /** True to reconcile again after the rate limiter's delay, which keeps increasing. */
  readonly requeue?: boolean | undefined;
  /** Delay in milliseconds after which the request is reconciled again, without rate limiting. Takes precedence over `requeue`. */
  readonly requeueAfterMs?: number | undefined;
  /** Priority with which the request is queued again. Default: its previous priority. */
  readonly priority?: number | undefined;
}

/** Reason why a request was queued: a change to an object. */
export interface Cause {
  /** Source of the change, such as `Deployment.apps` or a source's own description. */
  readonly source: string;
  readonly type: "create" | "update" | "delete" | "generic";
  /** Key of the changed object, which may differ from the reconciled object. */
  readonly key: string;
  /** Resource version of the changed object after the change. Absent if the source does not provide it. */
  readonly resourceVersion?: string | undefined;
}

/** Field names of other libraries and misspellings, which would silently have no effect. */
const mistaken = ["requeueAfter", "requeueAfterSeconds", "requeueAfterMS", "RequeueAfter", "Requeue", "Priority"];

/**
 * Validates the result of a reconciler, since untyped programs may return anything.
 *
 * @throws {Error} with the field and its value, if a field is unknown or the requested delay is invalid
 */
export function checkedResult(returned: Result | undefined): Result {
  if (typeof returned !== "object" || returned === null) return {};
  const wrong = mistaken.find((name) => Object.hasOwn(returned, name));
  if (wrong !== undefined)
    throw new Error(`reconcile returned the unknown field ${wrong}; use { requeueAfterMs: 60_000 }, in milliseconds`);
  const { requeueAfterMs }: { readonly requeueAfterMs?: unknown } = returned;
  if (
    requeueAfterMs === undefined ||
    (typeof requeueAfterMs === "number" && requeueAfterMs >= 0 && requeueAfterMs < Infinity)
  )
    return returned;
  const shown = typeof requeueAfterMs === "string" ? JSON.stringify(requeueAfterMs) : String(requeueAfterMs);
  throw new Error(
    `reconcile returned requeueAfterMs ${shown}; use milliseconds from now, such as 60_000, or omit it to disable the requeue; for a time ` +
      "that may have passed, use Math.max(1, time - now)",
  );
}
