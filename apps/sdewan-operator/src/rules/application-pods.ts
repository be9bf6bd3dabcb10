import { type DeepReadonly, keyOf, labelSelectorFrom } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { type EventHandler, enqueueRequestsFromMapFunc } from "@kubewright/controller";
import { SdewanApplication } from "../api/sdewan-application.ts";

/** Every SdewanApplication that selects a pod, or selected it before. */
export const applicationsOfPod: EventHandler<Pod> = enqueueRequestsFromMapFunc(async (pod, { client }) =>
  (await client.list(SdewanApplication)).filter((application) => selects(application, pod)).map(keyOf),
);

function selects({ spec }: DeepReadonly<SdewanApplication>, { metadata }: DeepReadonly<Pod>): boolean {
  const { podSelector, appNamespace = "" } = spec ?? {};
  if (!podSelector || (appNamespace !== "" && appNamespace !== metadata.namespace)) return false;
  try {
    return labelSelectorFrom(podSelector).matches(metadata.labels ?? {});
  } catch {
    return false; // not a selector: its own status says so
  }
}
