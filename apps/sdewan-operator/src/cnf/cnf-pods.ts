import { byKey, type DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import { purposeLabel } from "../api/group.ts";
import { isCurrent } from "./pod-state.ts";

/** Returns the running pods of all CNFs, ordered by key. */
export async function cnfPods(reader: Reader): Promise<DeepReadonly<Pod>[]> {
  const pods = await reader.list(Pod);
  return pods.filter((pod) => purposeLabel in (pod.metadata.labels ?? {}) && isCurrent(pod)).sort(byKey);
}
