import { type DeepReadonly, keyOf, labelSelectorFrom } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { type EventHandler, enqueueRequestsFromMapFunc } from "@kubewright/controller";
import type { CnfKind, PodSelection } from "../uci/cnf-kind.ts";

/** Maps a pod to the rules of a kind that select it or previously selected it. */
export const rulesSelecting = ({ kind, podsOf }: CnfKind): EventHandler<Pod> =>
  enqueueRequestsFromMapFunc(async (pod, { client }) =>
    podsOf ? (await client.list(kind)).filter((rule) => selects(podsOf(rule), pod)).map(keyOf) : [],
  );

function selects({ selector, namespace }: PodSelection, { metadata }: DeepReadonly<Pod>): boolean {
  if (!selector || (namespace !== "" && namespace !== metadata.namespace)) return false;
  try {
    return labelSelectorFrom(selector).matches(metadata.labels ?? {});
  } catch {
    return false; // the status of the application reports the invalid selector
  }
}
