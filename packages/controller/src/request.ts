import type { ObjectKey } from "@kubewright/apimachinery";

/** A request for a reconcile: the key of an object, without any information about the change. */
export type Request = ObjectKey;

/**
 * Result of a successful reconcile. If the reconciler returns nothing or an empty result, the
 * request is done.
 *
 * @see controller-runtime pkg/reconcile Result
 *
 */
export interface Result {
  /** Reconciles again after the rate limiter's delay, which keeps growing. */
  readonly requeue?: boolean | undefined;
  /** Reconciles again after this many milliseconds, without rate limiting; takes precedence over `requeue`. */
  readonly requeueAfterMs?: number | undefined;
  /** Priority with which it is queued again. Default: that with which it was taken. */
  readonly priority?: number | undefined;
}

/** Reason a request was queued: a change of an object. */
export interface Cause {
  /** Source of the change: `Deployment.apps`, or a source's own description. */
  readonly source: string;
  readonly type: "create" | "update" | "delete" | "generic";
  /** Key of the changed object, which may differ from the reconciled one. */
  readonly key: string;
  /** Resource version of that object after the change. Absent if the source does not know it. */
  readonly resourceVersion?: string | undefined;
}

/** Names used by other libraries, and misspellings, which would silently have no effect. */
const mistaken = ["requeueAfter", "requeueAfterSeconds", "requeueAfterMS", "RequeueAfter", "Requeue", "Priority"];

/**
 * Validates the result of a reconciler, which an untyped program may get wrong.
 *
 * @throws {Error} with the field and its value, if the requested delay is invalid
 */
export function checkedResult(returned: Result | undefined): Result {
  if (typeof returned !== "object" || returned === null) return {};
  const wrong = mistaken.find((name) => Object.hasOwn(returned, name));
  if (wrong !== undefined)
    throw new Error(
      `reconcile returned ${wrong}: there is no such field; use { requeueAfterMs: 60_000 }, in milliseconds`,
    );
  const { requeueAfterMs }: { readonly requeueAfterMs?: unknown } = returned;
  if (
    requeueAfterMs === undefined ||
    (typeof requeueAfterMs === "number" && requeueAfterMs >= 0 && requeueAfterMs < Infinity)
  )
    return returned;
  const shown = typeof requeueAfterMs === "string" ? JSON.stringify(requeueAfterMs) : String(requeueAfterMs);
  throw new Error(
    `reconcile returned requeueAfterMs ${shown}: use milliseconds from now, such as 60_000; leave it out for never, and for a time ` +
      "that may have passed use Math.max(1, time - now)",
  );
}
