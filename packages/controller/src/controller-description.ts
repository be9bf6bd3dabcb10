import { type DescribedResource, describedResource, gvkKey, type Kind } from "@kubewright/apimachinery";
import type { ControllerOptions } from "./controller-options.ts";
import type { Source } from "./source.ts";

/** The kinds that a controller works with, as far as they can be determined without running it. */
export interface ControllerDescription {
  readonly name: string;
  readonly for?: DescribedResource | undefined;
  readonly owns: readonly DescribedResource[];
  readonly watches: readonly DescribedResource[];
}

/** Describes a controller. @param cache the controller's cache. Sources with a different cache belong to other clusters and are omitted. */
export function controllerDescription(
  name: string,
  { for: main, owns = [] }: Pick<NonNullable<ControllerOptions["described"]>, "for" | "owns">,
  sources: readonly Pick<Source, "watched">[],
  cache: unknown,
): ControllerDescription {
  const named = new Set([...(main ? [main] : []), ...owns].map(gvkKey));
  const watched = sources.flatMap((one) =>
    one.watched && (cache === undefined || one.watched.cache === cache) ? one.watched : [],
  );
  const definedHere = new Map<string, boolean | undefined>();
  for (const { kind, isDefinedHere } of watched)
    if (definedHere.get(gvkKey(kind)) !== false)
      definedHere.set(gvkKey(kind), isDefinedHere ?? definedHere.get(gvkKey(kind)));
  const others = watched.map(({ kind }) => kind).filter((kind) => !named.has(gvkKey(kind)));
  return {
    name,
    ...(main ? { for: withDefinition(main, definedHere.get(gvkKey(main)) ?? true) } : {}),
    owns: distinct(owns).map((kind) => withDefinition(kind, definedHere.get(gvkKey(kind)) ?? true)),
    watches: distinct(others).map((kind) => withDefinition(kind, definedHere.get(gvkKey(kind)) ?? false)),
  };
}

const distinct = (kinds: readonly Kind[]): Kind[] => [...new Map(kinds.map((kind) => [gvkKey(kind), kind])).values()];

function withDefinition(kind: Kind, isDefinedHere: boolean): DescribedResource {
  const { crd, ...resource } = describedResource(kind);
  return isDefinedHere && crd ? { ...resource, crd } : resource;
}
