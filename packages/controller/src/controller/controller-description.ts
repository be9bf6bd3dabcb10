import {
  type DescribedResource,
  describedResource,
  gvkKey,
  type Kind,
  type Permission,
} from "@kubewright/apimachinery";
import type { Source } from "../source/source.ts";

/** What somebody has to say of a controller, because its sources do not tell. */
export interface DescribedParts {
  /** The kind that is reconciled. */
  readonly for?: Kind | undefined;
  /** Kinds that are made for it. */
  readonly owns?: readonly Kind[] | undefined;
  /** What the reconciler does besides reading these. */
  readonly permissions?: readonly Permission[] | undefined;
}

/** What a controller works with, as far as it can be told without running it. */
export interface ControllerDescription {
  readonly name: string;
  readonly for?: DescribedResource | undefined;
  readonly owns: readonly DescribedResource[];
  readonly watches: readonly DescribedResource[];
}

/** @param cache sources of other caches are of other clusters, and left out */
export function controllerDescription(
  name: string,
  { for: main, owns = [] }: DescribedParts,
  sources: readonly Pick<Source, "watched">[],
  cache: unknown,
): ControllerDescription {
  const named = new Set([...(main ? [main] : []), ...owns].map(gvkKey));
  const watched = sources.flatMap((one) =>
    one.watched && (cache === undefined || one.watched.cache === cache) ? one.watched.kind : [],
  );
  return {
    name,
    ...(main ? { for: describedResource(main) } : {}),
    owns: distinct(owns),
    watches: distinct(watched.filter((kind) => !named.has(gvkKey(kind)))),
  };
}

const distinct = (kinds: readonly Kind[]): DescribedResource[] =>
  [...new Map(kinds.map((kind) => [gvkKey(kind), kind])).values()].map(describedResource);
