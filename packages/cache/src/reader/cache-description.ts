import type { DescribedResource } from "@kubewright/apimachinery";
import { allNamespaces, type NamespaceConfigs } from "./cache-config.ts";
import { entriesOf } from "./config-check.ts";

/** Resources and namespaces that a cache reads, for which its program needs permissions. */
export interface CacheDescription {
  /** The resources. Absent: all that no other description names. */
  readonly resources?: readonly DescribedResource[] | undefined;
  /** The namespaces. Absent: all. */
  readonly namespaces?: readonly string[] | undefined;
}

/** State of the informers of a kind. */
export interface CachedKindInspection {
  readonly name: string;
  readonly hasSynced: boolean;
  /** Milliseconds since the last response from the server. Absent if there was none. */
  readonly ageMs?: number | undefined;
  /** Number of objects in memory. */
  readonly objects: number;
  /** True while a handler has not finished with changes that are already in memory. */
  readonly isDelivering: boolean;
  /** Error that last interrupted listing or watching, unless the server has responded since. */
  readonly lastError?: string | undefined;
}

/** Returns the namespaces by name; `undefined` if all other namespaces are kept as well. */
export function keptNamespaces(namespaces: NamespaceConfigs<object> = []): readonly string[] | undefined {
  const names = entriesOf<object>(namespaces).map(([namespace]) => namespace);
  return names.length === 0 || names.includes(allNamespaces) ? undefined : names.toSorted();
}
