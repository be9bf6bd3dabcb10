import { type DeepReadonly, keyOf, labelSelectorFrom } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { type EventHandler, enqueueRequestsFromMapFunc } from "@kubewright/controller";
import type { CnfKind, PodSelection } from "../uci/cnf-kind.ts";

/** Every rule of a kind that selects a pod, or selected it before. */
export const rulesSelecting = ({ kind, podsOf }: CnfKind): EventHandler<Pod> =>
  enqueueRequestsFromMapFunc(async (pod, { client }) =>
    podsOf ? (await client.list(kind)).filter((rule) => selects(podsOf(rule), pod)).map(keyOf) : [],
  );

function selects({ selector, namespace }: PodSelection, { metadata }: DeepReadonly<Pod>): boolean {
  if (!selector || (namespace !== "" && namespace !== metadata.namespace)) return false;
  try {
    return labelSelectorFrom(selector).matches(metadata.labels ?? {});
  } catch {
    return false; // not a selector: its own status says so
  }
}
