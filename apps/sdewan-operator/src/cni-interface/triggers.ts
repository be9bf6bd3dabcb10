import { type DeepReadonly, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import type { Predicate } from "@kubewright/controller";
import { CniInterface } from "../api/cni-interface.ts";
import { cnfPodMatters } from "../rules/triggers.ts";

/** Accepts events of CNF pods that may affect their interfaces. */
export const interfaceMatters: Predicate<Pod> = cnfPodMatters;

/** Returns the CniInterfaces in a pod's namespace. The reconciler determines whether they select the pod. */
export async function interfacesOfPod(
  { metadata }: DeepReadonly<Pod>,
  { client }: { readonly client: Reader },
): Promise<string[]> {
  return (await client.list(CniInterface, { namespace: metadata.namespace })).map(keyOf);
}
