import { type DeepReadonly, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import type { Predicate } from "@kubewright/controller";
import { CniInterface } from "../api/cni-interface.ts";
import { cnfPodMatters } from "../rules/triggers.ts";

/** Changes of CNF pods after which their interfaces may look different. */
export const interfaceMatters: Predicate<Pod> = cnfPodMatters;

/** The CniInterfaces in a pod's namespace: whether they select it shows when they are looked at. */
export async function interfacesOfPod(
  { metadata }: DeepReadonly<Pod>,
  { client }: { readonly client: Reader },
): Promise<string[]> {
  return (await client.list(CniInterface, { namespace: metadata.namespace })).map(keyOf);
}
