import { byKey, type DeepReadonly } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import { purposeLabel } from "../api/group.ts";
import { isCurrent } from "./pod-state.ts";

/** The pods of all CNFs that run now, in the order of their keys. */
export async function cnfPods(reader: Reader): Promise<DeepReadonly<Pod>[]> {
  const pods = await reader.list(Pod);
  return pods.filter((pod) => purposeLabel in (pod.metadata.labels ?? {}) && isCurrent(pod)).sort(byKey);
}
