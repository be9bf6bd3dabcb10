import type { OwnerReference } from "@kubewright/apimachinery";

type Fields = Readonly<Record<string, unknown>>;

/** An object of the API server. Immutable: a write replaces it. */
export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation: number;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly OwnerReference[];
  };
  readonly spec?: Fields;
  readonly status?: Fields;
  readonly data?: Readonly<Record<string, string>>;
  readonly roleRef?: Fields;
  readonly subjects?: readonly Fields[];
}

/** An object as sent by a client; the server adds the rest. */
export type NewObject = Omit<StoredObject, "apiVersion" | "kind" | "metadata"> & {
  readonly metadata: Pick<StoredObject["metadata"], "name"> & Partial<StoredObject["metadata"]>;
};
