import type { KubeObject } from "@kubewright/apimachinery";

/** A bookmark has no object, only how far the watch has come. */
export interface Bookmark {
  apiVersion: string;
  kind: string;
  metadata: { resourceVersion: string; annotations?: Record<string, string> };
}

/** One change. ERROR events of the wire are thrown as `StatusError`, so there is no type for them. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly object: Bookmark };

/** The annotation of the bookmark that ends the initial events of a streaming list. */
export const initialEventsEndAnnotation = "k8s.io/initial-events-end";

/** Whether this is the bookmark that ends the initial events. */
export const isInitialEventsEnd = (event: WatchEvent): boolean =>
  event.type === "BOOKMARK" && event.object.metadata.annotations?.[initialEventsEndAnnotation] === "true";
