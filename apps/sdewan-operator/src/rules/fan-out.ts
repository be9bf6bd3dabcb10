import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { Change } from "../cnf/batch.ts";
import type { SessionPool } from "../cnf/session-pool.ts";

/** One or more pods of a CNF could not be changed. */
export class FanOutError extends Error {
  override readonly name = "FanOutError";
  /** What went wrong, by pod. */
  readonly errors: readonly unknown[];

  constructor(failures: readonly { readonly pod: string; readonly error: unknown }[], pods: number) {
    const texts = failures.map(({ pod, error }) => (pods > 1 ? `${pod}: ${messageOf(error)}` : messageOf(error)));
    super(texts.join("; "));
    this.errors = failures.map(({ error }) => error);
  }
}

/**
 * Makes the same change in every pod; one that fails does not keep the others from being tried.
 *
 * @returns whether any pod had to be written to
 * @throws {FanOutError} if any pod failed
 */
export async function changeEveryPod(
  pool: SessionPool,
  pods: readonly DeepReadonly<Pod>[],
  change: Change,
): Promise<boolean> {
  const results = await Promise.allSettled(pods.map(async (pod) => (await pool.sessionOf(pod)).submit(change)));
  const failures = results.flatMap((result, index) =>
    result.status === "rejected" ? [{ pod: pods[index]?.metadata.name ?? "", error: result.reason as unknown }] : [],
  );
  if (failures.length > 0) throw new FanOutError(failures, pods.length);
  return results.some((result) => result.status === "fulfilled" && result.value.changed);
}

/** Network errors say little themselves; what they were caused by says more. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? messageOf(error.cause) : "";
  return cause === "" || error.message.includes(cause) ? error.message : `${error.message}: ${cause}`;
}
