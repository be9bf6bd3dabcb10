import { byKey, type DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import type { CniInterface } from "../api/cni-interface.ts";
import { selectorOf } from "../cnf/cnf-view.ts";
import { isCurrent, isReady } from "../cnf/pod-state.ts";

/**
 * Returns the ready pods that a CniInterface selects in its namespace, sorted by name.
 *
 * @throws {InvalidSpecError} if the selector is not valid
 */
export async function selectedPods(
  object: DeepReadonly<CniInterface>,
  reader: Reader,
): Promise<readonly DeepReadonly<Pod>[]> {
  const matches = matcherOf(object);
  if (!matches) return [];
  const pods = await reader.list(Pod, { namespace: object.metadata.namespace });
  return pods.filter((pod) => isCurrent(pod) && isReady(pod) && matches(pod)).sort(byKey);
}

/** Reports whether a CniInterface in a pod's namespace selects the pod. An invalid selector selects nothing. */
export function selects(object: DeepReadonly<CniInterface>, pod: DeepReadonly<Pod>): boolean {
  try {
    return matcherOf(object)?.(pod) ?? false;
  } catch {
    return false; // the status of the CniInterface reports the invalid selector
  }
}

/** Returns a predicate for the pods that a CniInterface selects. An empty selector selects no pod. */
function matcherOf({ spec }: DeepReadonly<CniInterface>): ((pod: DeepReadonly<Pod>) => boolean) | undefined {
  const selector = spec?.cnfSelector;
  const empty = !Object.keys(selector?.matchLabels ?? {}).length && !selector?.matchExpressions?.length;
  if (!selector || empty) return undefined;
  const labels = selectorOf(selector);
  return (pod) => labels.matches(pod.metadata.labels ?? {});
}
