import { type DeepReadonly, labelSelectorFrom, type ParsedLabelSelector } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";
import { purposeLabel } from "../api/group.ts";
import { type CnfView, InvalidSpecError, type PodSelector } from "../uci/cnf-kind.ts";
import { ipv4Order } from "./ipv4-order.ts";
import { attachedNetworks, interfaceOfNetwork } from "./networks.ts";
import { ipv4Of, isCurrent } from "./pod-state.ts";

/**
 * Returns the information that conversions may use, about a CNF pod and the current application pods. Each pod is
 * configured according to its own networks, because during a rollout, pods that still serve traffic have the networks
 * of an older template.
 *
 * @param pod the CNF pod. If undefined, the view does not describe a particular pod and contains no networks
 */
export function cnfViewOf(reader: Reader, pod: DeepReadonly<Pod> | undefined): CnfView {
  return {
    interfaceOf: (network) => interfaceOfNetwork(attachedNetworks(pod?.metadata.annotations), network),
    // CNFs support IPv4 addresses only.
    addressesOf: async (selector, namespace) => {
      const matching = podMatcher(selector, namespace);
      const pods = await reader.list(Pod, namespace === "" ? {} : { namespace });
      const addresses = pods.filter(matching).flatMap((pod) => ipv4Of(pod) ?? []);
      return [...new Set(addresses)].toSorted(ipv4Order);
    },
  };
}

/**
 * Returns a predicate for the pods of an application: pods in its namespace that the selector matches, that are not terminating, and that
 * are not CNFs.
 *
 * @throws {InvalidSpecError} if the selector is not valid
 */
function podMatcher(selector: DeepReadonly<PodSelector>, namespace: string): (pod: DeepReadonly<Pod>) => boolean {
  const labels = selectorOf(selector);
  return (pod) =>
    (namespace === "" || pod.metadata.namespace === namespace) &&
    pod.metadata.labels?.[purposeLabel] === undefined &&
    isCurrent(pod) &&
    labels.matches(pod.metadata.labels ?? {});
}

/** Parses a pod selector. @throws {InvalidSpecError} if the selector is not valid */
export function selectorOf(selector: DeepReadonly<PodSelector>): ParsedLabelSelector {
  try {
    return labelSelectorFrom(selector);
  } catch (error) {
    throw new InvalidSpecError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
