import { type DeepReadonly, keyOf } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { messageOf, messageWithoutResponse } from "../cnf/cnf-error.ts";
import type { Change } from "../cnf/session/change.ts";
import type { Effect } from "../cnf/session/gathering.ts";
import type { SessionPool } from "../cnf/session/session-pool.ts";
import type { Hide } from "../masking/cnf-masks.ts";
import { masked } from "../masking/mask.ts";

interface PodFailure {
  readonly pod: DeepReadonly<Pod>;
  readonly error: unknown;
}

/** The pods that a change affects. */
interface Pods {
  /** Number of pods. If there is only one, messages do not name it. */
  readonly count: number;
  /** Pods whose Deployment was deleted. */
  readonly orphaned: readonly DeepReadonly<Pod>[];
}

/** Maximum number of failed pods in a message, and maximum length of each reason. */
const maxPods = 8;
const maxLengthOfSeveral = 400;

type HideOf = (pod: DeepReadonly<Pod>) => Hide;

const orphan = "whose Deployment was deleted (delete the pod if it is not needed)";

/** Thrown if one or more pods of a CNF could not be changed. */
export class FanOutError extends Error {
  override readonly name = "FanOutError";
  readonly failures: readonly PodFailure[];
  readonly #pods: Pods;

  constructor(failures: readonly PodFailure[], pods: Pods) {
    super(textOf(failures, pods, [], () => (text) => text));
    this.failures = failures;
    this.#pods = pods;
  }

  /**
   * Returns the failures without secrets.
   *
   * @param hide removes the other secrets of a pod's CNF
   */
  withoutSecrets(secrets: readonly (string | undefined)[], hide: HideOf = () => (text) => text): string {
    return textOf(this.failures, this.#pods, secrets, hide);
  }
}

function textOf(
  failures: readonly PodFailure[],
  pods: Pods,
  secrets: readonly (string | undefined)[],
  hide: HideOf,
): string {
  const maxLength = failures.length > 1 ? maxLengthOfSeveral : undefined;
  const describe = secrets.some(Boolean) ? messageWithoutResponse : messageOf;
  const texts = failures.slice(0, maxPods).map(({ pod, error }) => {
    const text = masked(hide(pod)(describe(error)), secrets, maxLength);
    if (pods.orphaned.includes(pod)) return `${keyOf(pod)}, ${orphan}: ${text}`;
    return pods.count > 1 ? `${pod.metadata.name}: ${text}` : text;
  });
  const more = failures.length - texts.length;
  return [...texts, ...(more > 0 ? [`and ${more} more pods`] : [])].join("; ");
}

/**
 * Applies a change to every pod. If the change fails on some pods, it is still applied to the others.
 *
 * @param changeOf returns the change for a pod. If it throws an error, only that pod fails
 * @param orphaned the pods whose Deployment was deleted
 * @returns the combined effect
 * @throws {FanOutError} if the change failed on any pod
 */
export async function changeEveryPod(
  pool: SessionPool,
  pods: readonly DeepReadonly<Pod>[],
  changeOf: (pod: DeepReadonly<Pod>) => Change | Promise<Change>,
  orphaned: readonly DeepReadonly<Pod>[] = [],
): Promise<Effect> {
  const results = await Promise.allSettled(
    pods.map(async (pod) => {
      const change = await changeOf(pod);
      return pool.submit(pod, change);
    }),
  );
  const failures = results.flatMap((result, index) =>
    result.status === "rejected" ? failureOf(pods[index], result.reason) : [],
  );
  if (failures.length > 0) throw new FanOutError(failures, { count: pods.length, orphaned });
  const effects = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  const changed = effects.some((effect) => effect.changed);
  const drifted = effects.filter((effect) => effect.drifted);
  if (drifted.length === 0) return { changed };
  return drifted.every(({ displaced }) => displaced)
    ? { changed, drifted: true, displaced: true }
    : { changed, drifted: true };
}

const failureOf = (pod: DeepReadonly<Pod> | undefined, error: unknown): PodFailure[] => (pod ? [{ pod, error }] : []);
