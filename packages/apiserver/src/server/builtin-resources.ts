import { groupKindKey } from "@kubewright/apimachinery";
import { customResourceDefinitionStrategy } from "../apiextensions/definition-strategy.ts";
import { createFieldManager } from "../fieldmanager/typed-field-manager.ts";
import { builtinStrategies } from "../registry/kinds/index-of-kinds.ts";
import type { ServedResource } from "../registry/resource.ts";
import type { KindStrategy } from "../registry/strategy.ts";
import { builtinSchema } from "../schema/builtin-schemas.ts";
import { builtinCatalogue, type CatalogueEntry } from "../schema/catalogue.ts";

import { eventConverter } from "./event-conversion.ts";
import { subresourceHandlers } from "./subresource-handlers.ts";

/** Resources without handlers: they are not shown. `bindings` is the old name of `pods/binding`. */
const missing = new Set(["componentstatuses", "bindings"]);

/** Sent with every answer about the kind. */
const deprecations: Readonly<Record<string, string>> = {
  Endpoints: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
};

/** The second version of a kind needs a conversion. */
const isComplete = ({ group, version, resource }: CatalogueEntry): boolean =>
  !(group === "autoscaling" && version === "v1" && resource === "horizontalpodautoscalers");

const strategies: Readonly<Record<string, KindStrategy>> = {
  ...builtinStrategies,
  "CustomResourceDefinition.apiextensions.k8s.io": customResourceDefinitionStrategy,
};

/** What of the catalogue is served and `belongs` here, in discovery order. */
export function builtinResources(
  belongs: (entry: CatalogueEntry) => boolean,
  { eventTtlSeconds = 3_600 }: { readonly eventTtlSeconds?: number } = {},
): ServedResource[] {
  return builtinCatalogue.filter(belongs).flatMap((entry) => {
    const gvk = { group: entry.group, version: entry.version, kind: entry.kind };
    const schema = builtinSchema(gvk);
    if (!schema || missing.has(entry.resource) || !isComplete(entry)) return [];
    const kindStrategy = strategies[groupKindKey(entry)] ?? {};
    const strategy = entry.kind === "Event" ? { ...kindStrategy, ttlSeconds: eventTtlSeconds } : kindStrategy;
    const deprecationWarning = deprecations[groupKindKey(entry)];
    const served: ServedResource = {
      ...entry,
      subresources: entry.subresources.filter(
        ({ name }) => subresourceHandlers.has(name) || subresourceHandlers.has(`${entry.resource}/${name}`),
      ),
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

/** Where a resource is stored: under its own name, but events of both groups are one. */
function storageOf({
  group,
  resource,
}: {
  readonly group: string;
  readonly resource: string;
}): Pick<ServedResource, "storagePrefix" | "converter"> {
  if (group === "events.k8s.io") return { storagePrefix: "/core/events/", converter: eventConverter };
  return { storagePrefix: `/${group || "core"}/${resource}/` };
}
