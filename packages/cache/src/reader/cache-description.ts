import type { DescribedResource } from "@kubewright/apimachinery";
import { allNamespaces, type NamespaceConfigs } from "./cache-config.ts";
import { entriesOf } from "./config-check.ts";

/** Where a cache looks, which is where its program must be allowed to. */
export interface CacheDescription {
  /** Only these. Absent: all that no other description names. */
  readonly resources?: readonly DescribedResource[] | undefined;
  /** Absent: all. */
  readonly namespaces?: readonly string[] | undefined;
}

/** How the informers of a kind are doing. */
export interface CachedKindInspection {
  readonly name: string;
  readonly hasSynced: boolean;
  /** Since the server was last heard from. Absent: it never was. */
  readonly ageMs?: number | undefined;
  /** How many are in memory. */
  readonly objects: number;
  /** True while a handler has yet to take changes that are in memory, or has not ended with one. */
  readonly isDelivering: boolean;
  /** What last interrupted listing or watching, unless something came since. */
  readonly lastError?: string | undefined;
}

/** The namespaces by name; `undefined` where the others are kept as well. */
export function keptNamespaces(namespaces: NamespaceConfigs<object> = []): readonly string[] | undefined {
  const names = entriesOf<object>(namespaces).map(([namespace]) => namespace);
  return names.length === 0 || names.includes(allNamespaces) ? undefined : names.toSorted();
}
