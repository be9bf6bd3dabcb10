import type { KubeObject } from "@kubewright/apimachinery";

/** How far a watch has come: the object of a BOOKMARK event, of which there is nothing but type and version. */
export interface Bookmark {
  apiVersion: string;
  kind: string;
  metadata: { resourceVersion: string; annotations?: Record<string, string> };
}

/** One change. An ERROR event is thrown as `StatusError` instead. @see apimachinery watch.Event */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly object: Bookmark };

/** The annotation of the bookmark that ends the initial events of a streaming list. @see metav1.InitialEventsAnnotationKey */
export const initialEventsEndAnnotation = "k8s.io/initial-events-end";

/** Whether this is the bookmark that ends the initial events. */
export const isInitialEventsEnd = (event: WatchEvent): boolean =>
  event.type === "BOOKMARK" && event.object.metadata.annotations?.[initialEventsEndAnnotation] === "true";
