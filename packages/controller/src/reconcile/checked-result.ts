import type { Result } from "./request.ts";

/** What others call it, and what would silently be no wish to come again. */
const mistaken = ["requeueAfter", "requeueAfterSeconds", "requeueAfterMS", "RequeueAfter", "Requeue", "Priority"];

/**
 * What a reconcile returned, which a program without types may get wrong.
 *
 * @throws {Error} naming the field and its value, if it says when to come again in a way that cannot be meant
 */
export function checkedResult(returned: Result | undefined): Result {
  if (typeof returned !== "object" || returned === null) return {};
  const wrong = mistaken.find((name) => Object.hasOwn(returned, name));
  if (wrong !== undefined)
    throw new Error(
      `reconcile returned ${wrong}: there is no such field: want { requeueAfterMs: 60_000 }, in milliseconds`,
    );
  const { requeueAfterMs }: { readonly requeueAfterMs?: unknown } = returned;
  if (
    requeueAfterMs === undefined ||
    (typeof requeueAfterMs === "number" && requeueAfterMs >= 0 && requeueAfterMs < Infinity)
  )
    return returned;
  const shown = typeof requeueAfterMs === "string" ? JSON.stringify(requeueAfterMs) : String(requeueAfterMs);
  throw new Error(
    `reconcile returned requeueAfterMs ${shown}: want milliseconds from now, such as 60_000; leave it out for never, and for a time ` +
      "that may be over take Math.max(1, time - now)",
  );
}
