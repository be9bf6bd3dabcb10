import { type DeepReadonly, type LabelSelector, labelSelectorFrom } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import { purposeLabel } from "../api/group.ts";
import { type CnfView, InvalidSpecError, type PodSelector } from "../uci/cnf-kind.ts";
import { ipv4Order } from "./ipv4-order.ts";
import { attachedNetworks, interfaceOfNetwork } from "./networks.ts";
import { ipv4Of, isCurrent } from "./pod-state.ts";

/**
 * What conversions may ask, about one pod of a CNF and the pods there are at this moment. Each pod is configured by its own networks: one
 * that still serves while others are rolled out has those of an older template.
 *
 * @param pod nothing: it is not about any pod, so no network is attached
 */
export function cnfViewOf(reader: Reader, pod: DeepReadonly<Pod> | undefined): CnfView {
  return {
    interfaceOf: (network) => interfaceOfNetwork(attachedNetworks(pod?.metadata.annotations), network),
    // The CNF's addresses are IPv4 ones.
    addressesOf: async (selector, namespace) => {
      const matching = podMatcher(selector, namespace);
      const pods = await reader.list(Pod, namespace === "" ? {} : { namespace });
      const addresses = pods.filter(matching).flatMap((pod) => ipv4Of(pod) ?? []);
      return [...new Set(addresses)].toSorted(ipv4Order);
    },
  };
}

/**
 * Whether a pod is one of an application's: selected, in its namespace, not ending and not a CNF itself.
 *
 * @throws {InvalidSpecError} if the selector is not one
 */
function podMatcher(selector: DeepReadonly<PodSelector>, namespace: string): (pod: DeepReadonly<Pod>) => boolean {
  const labels = selectorOf(selector);
  return (pod) =>
    (namespace === "" || pod.metadata.namespace === namespace) &&
    pod.metadata.labels?.[purposeLabel] === undefined &&
    isCurrent(pod) &&
    labels.matches(pod.metadata.labels ?? {});
}

/** @throws {InvalidSpecError} */
export function selectorOf(selector: DeepReadonly<PodSelector>): LabelSelector {
  try {
    return labelSelectorFrom(selector);
  } catch (error) {
    throw new InvalidSpecError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
