import type { Kind, KubeObject } from "@kubewright/apimachinery";
import type { ApplyConfiguration, Creatable, NamedObject, Writable } from "./objects.ts";
import type { ApplyOptions, DeleteCollectionOptions, DeleteOptions, PatchOptions, WriteOptions } from "./writer.ts";

/**
 * One write, as the caller requested it. `object` is the target: the whole object, or the available part of it. Only `deleteCollection`
 * has no `object`.
 */
export type WriteCall =
  | CreateCall
  | UpdateCall
  | ApplyCall
  | PatchCall
  | SubResourceCall
  | DeleteCall
  | DeleteCollectionCall;

interface CreateCall {
  readonly verb: "create";
  readonly kind: Kind;
  readonly subResource?: undefined;
  /** Has no name if the server makes one from `metadata.generateName`. */
  readonly object: Creatable<KubeObject>;
  readonly body?: undefined;
  readonly options: WriteOptions;
}

interface UpdateCall {
  readonly verb: "update";
  readonly kind: Kind;
  /** Set for a write through `client.status`. */
  readonly subResource?: "status" | undefined;
  readonly object: Writable<KubeObject>;
  readonly body?: undefined;
  readonly options: WriteOptions;
}

interface ApplyCall {
  readonly verb: "apply";
  readonly kind: Kind;
  /** Set for a write through `client.status`. */
  readonly subResource?: "status" | undefined;
  readonly object: ApplyConfiguration<KubeObject>;
  readonly body?: undefined;
  readonly options: ApplyOptions;
}

interface PatchCall {
  readonly verb: "patch";
  readonly kind: Kind;
  readonly subResource?: string | undefined;
  readonly object: NamedObject;
  /** The patch as it is sent; through `client.status` as well: `{ status: ... }`. An array is a JSON patch. */
  readonly patch: object;
  readonly body?: undefined;
  readonly options: PatchOptions;
}

/** A write through `client.subResource(name)`. */
interface SubResourceCall {
  readonly verb: "create" | "update";
  readonly kind: Kind;
  readonly subResource: string;
  readonly object: NamedObject;
  /** The body of the subresource: a Scale, an Eviction. */
  readonly body: object;
  readonly options: WriteOptions;
}

interface DeleteCall {
  readonly verb: "delete";
  readonly kind: Kind;
  readonly subResource?: undefined;
  readonly object: NamedObject;
  readonly body?: undefined;
  readonly options: DeleteOptions;
}

interface DeleteCollectionCall {
  readonly verb: "deleteCollection";
  readonly kind: Kind;
  readonly subResource?: undefined;
  readonly object?: undefined;
  readonly body?: undefined;
  readonly options: DeleteCollectionOptions;
}

/**
 * Wraps every write of a client. `next` makes the write and accepts a changed call; it may be called several times, or not at all.
 * `Answer` is the result that the caller expects: the object as it was stored, the subresource's body, or `undefined` for a deletion.
 *
 * @see controller-runtime pkg/client/interceptor Funcs
 */
export type WriteInterceptor = <Answer>(call: WriteCall, next: (call: WriteCall) => Promise<Answer>) => Promise<Answer>;
