import type { Result } from "./request.ts";

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
