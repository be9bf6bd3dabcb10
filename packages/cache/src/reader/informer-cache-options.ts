import type { KubeObject } from "@kubewright/apimachinery";
import type { SelectionOptions } from "@kubewright/client";
import type { Transform } from "../informer/incoming-transform.ts";
import type { InformerMetricsProvider } from "../informer/informer-metrics.ts";
import type { SharedInformerOptions } from "../informer/shared-informer.ts";
import type { ListWatchClient } from "../source/client-list-watch.ts";

/** What is kept of one kind. */
export interface CachedKindOptions<T extends KubeObject> extends Omit<SelectionOptions, "namespace"> {
  /** Only objects of these namespaces; reading from others throws. Default: those of the cache. */
  readonly namespaces?: readonly string[] | undefined;
  readonly transform?: Transform<T> | undefined;
}

/** Without a `logger`, warnings and errors go to standard error. */
export interface InformerCacheOptions
  extends Omit<SharedInformerOptions<KubeObject>, "name" | "kind" | "indexers" | "transform" | "metrics"> {
  readonly client: ListWatchClient;
  /** Only objects of these namespaces, where a kind has any; reading from others throws. Default: all. */
  readonly namespaces?: readonly string[] | undefined;
  /** Where the informers report to. Default: nowhere. */
  readonly metrics?: InformerMetricsProvider | undefined;
}
