import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { Change } from "../cnf/batch.ts";
import { messageOf } from "../cnf/cnf-error.ts";
import type { Effect } from "../cnf/session.ts";
import type { SessionPool } from "../cnf/session-pool.ts";
import { masked } from "./mask.ts";

interface PodFailure {
  readonly pod: DeepReadonly<Pod>;
  readonly error: unknown;
}

/** So many pods are named where more failed, and each gets so many characters to say why. */
const mostPods = 8;
const longestOfSeveral = 400;

/** One or more pods of a CNF could not be changed. */
export class FanOutError extends Error {
  override readonly name = "FanOutError";
  readonly failures: readonly PodFailure[];
  readonly #pods: number;

  /** @param pods how many there are; where it is one, the message does not name it */
  constructor(failures: readonly PodFailure[], pods: number) {
    super(textOf(failures, pods, []));
    this.failures = failures;
    this.#pods = pods;
  }

  /** What failed, without secrets. */
  withoutSecrets(secrets: readonly (string | undefined)[]): string {
    return textOf(this.failures, this.#pods, secrets);
  }
}

function textOf(failures: readonly PodFailure[], pods: number, secrets: readonly (string | undefined)[]): string {
  const longest = failures.length > 1 ? longestOfSeveral : undefined;
  const texts = failures.slice(0, mostPods).map(({ pod, error }) => {
    const text = masked(messageOf(error), secrets, longest);
    return pods > 1 ? `${pod.metadata.name}: ${text}` : text;
  });
  const more = failures.length - texts.length;
  return [...texts, ...(more > 0 ? [`and ${more} more pods`] : [])].join("; ");
}

/**
 * Makes the same change in every pod; one that fails does not keep the others from being tried.
 *
 * @returns what it came to in any of them
 * @throws {FanOutError} if any pod failed
 */
export async function changeEveryPod(
  pool: SessionPool,
  pods: readonly DeepReadonly<Pod>[],
  change: Change,
): Promise<Effect> {
  const results = await Promise.allSettled(pods.map(async (pod) => (await pool.sessionOf(pod)).submit(change)));
  const failures = results.flatMap((result, index) =>
    result.status === "rejected" ? failureOf(pods[index], result.reason) : [],
  );
  if (failures.length > 0) throw new FanOutError(failures, pods.length);
  const effects = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  const changed = effects.some((effect) => effect.changed);
  return effects.some(({ drifted }) => drifted) ? { changed, drifted: true } : { changed };
}

const failureOf = (pod: DeepReadonly<Pod> | undefined, error: unknown): PodFailure[] => (pod ? [{ pod, error }] : []);
