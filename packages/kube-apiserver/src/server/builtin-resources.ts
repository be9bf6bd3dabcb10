import { customResourceDefinitionStrategy } from "@kubewright/apiextensions";
import { groupKindKey } from "@kubewright/apimachinery";
import { createFieldManager } from "@kubewright/apiserver/fieldmanager";
import type { KindStrategy, ServedResource } from "@kubewright/apiserver/registry";
import { builtinCatalogue, builtinSchema, type CatalogueEntry } from "@kubewright/codec/schema";
import { autoscalerConverter } from "../kinds/autoscaling/autoscaler-conversion.ts";
import { horizontalPodAutoscalerV1Strategy } from "../kinds/autoscaling/horizontal-pod-autoscaler-v1.ts";
import { builtinStrategies } from "../kinds/index-of-kinds.ts";

import { eventConverter } from "./event-conversion.ts";

/** Warnings sent with every response about the kind. */
const deprecations: Readonly<Record<string, string>> = {
  ComponentStatus: "v1 ComponentStatus is deprecated in v1.19+",
  Endpoints: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
};

const strategies: Readonly<Record<string, KindStrategy>> = {
  ...builtinStrategies,
  "CustomResourceDefinition.apiextensions.k8s.io": customResourceDefinitionStrategy,
  // strategies for versions whose rules differ from the rules of the kind's other versions
  "v1/HorizontalPodAutoscaler.autoscaling": horizontalPodAutoscalerV1Strategy as KindStrategy,
};

/** Returns the served resources that `belongs` accepts, in the order in which discovery lists them. */
export function builtinResources(
  belongs: (entry: CatalogueEntry) => boolean,
  { eventTtlSeconds = 3_600 }: { readonly eventTtlSeconds?: number } = {},
): ServedResource[] {
  return builtinCatalogue.filter(belongs).flatMap((entry) => {
    const gvk = { group: entry.group, version: entry.version, kind: entry.kind };
    const schema = builtinSchema(gvk);
    if (!schema) return [];
    const kindStrategy = strategies[`${entry.version}/${groupKindKey(entry)}`] ?? strategies[groupKindKey(entry)] ?? {};
    const strategy = entry.kind === "Event" ? { ...kindStrategy, ttlSeconds: eventTtlSeconds } : kindStrategy;
    const deprecationWarning = deprecations[groupKindKey(entry)];
    const served: ServedResource = {
      ...entry,
      origin: "builtin",
      strategy,
      schema,
      fieldManager: createFieldManager({ gvk, schema }),
      ...storageOf(entry),
      ...(deprecationWarning ? { deprecationWarning } : {}),
    };
    return [served];
  });
}

/**
 * Returns the storage location of a resource, which is usually the resource's own name. Events have the same location in both of their
 * groups.
 */
function storageOf({
  group,
  version,
  resource,
}: {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}): Pick<ServedResource, "storagePrefix" | "converter"> {
  if (group === "events.k8s.io") return { storagePrefix: "/core/events/", converter: eventConverter };
  if (group === "autoscaling" && version === "v1")
    return { storagePrefix: `/${group}/${resource}/`, converter: autoscalerConverter };
  return { storagePrefix: `/${group || "core"}/${resource}/` };
}
