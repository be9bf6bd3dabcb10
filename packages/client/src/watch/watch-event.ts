import type { KubeObject } from "@kubewright/apimachinery";

/** The progress of a watch: the object of a BOOKMARK event, with only type and version. */
export interface Bookmark {
  apiVersion: string;
  kind: string;
  metadata: { resourceVersion: string; annotations?: Record<string, string> };
}

/** One change. An ERROR event is thrown as `StatusError` instead. @see apimachinery watch.Event */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly object: Bookmark };

/** Annotation of the bookmark that ends the initial events of a streaming list. @see metav1.InitialEventsAnnotationKey */
export const initialEventsEndAnnotation = "k8s.io/initial-events-end";

/** Reports whether an event is the bookmark that ends the initial events. */
export const isInitialEventsEnd = (event: WatchEvent): boolean =>
  event.type === "BOOKMARK" && event.object.metadata.annotations?.[initialEventsEndAnnotation] === "true";
