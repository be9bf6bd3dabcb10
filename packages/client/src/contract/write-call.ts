import type { Kind, KubeObject } from "@kubewright/apimachinery";
import type { ApplyConfiguration } from "./patch-body.ts";
import type { Creatable, NamedObject, Writable } from "./target.ts";
import type { ApplyOptions, PatchOptions, WriteOptions } from "./write-options.ts";
import type { DeleteCollectionOptions, DeleteOptions } from "./writer.ts";

/**
 * One write, as the caller asked for it. `object` names what is written: the whole object, or as much of it as there is; the one
 * verb without it is `deleteCollection`.
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
  /** It has no name yet if the server is to make one from `metadata.generateName`. */
  readonly object: Creatable<KubeObject>;
  readonly body?: undefined;
  readonly options: WriteOptions;
}

interface UpdateCall {
  readonly verb: "update";
  readonly kind: Kind;
  /** Of a write by `client.status`. */
  readonly subResource?: "status" | undefined;
  readonly object: Writable<KubeObject>;
  readonly body?: undefined;
  readonly options: WriteOptions;
}

interface ApplyCall {
  readonly verb: "apply";
  readonly kind: Kind;
  /** Of a write by `client.status`. */
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
  /** What is sent; by `client.status` too: `{ status: ... }`. An array is a JSON patch. */
  readonly patch: object;
  readonly body?: undefined;
  readonly options: PatchOptions;
}

/** A write by `client.subResource(name)`. */
interface SubResourceCall {
  readonly verb: "create" | "update";
  readonly kind: Kind;
  readonly subResource: string;
  readonly object: NamedObject;
  /** The subresource's own: a Scale, an Eviction. */
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
 * What happens around every write of a client. `next` makes the write and may be given a changed one; it may be called again, or
 * not at all. `Answer` is what the caller waits for: the object as it was stored, the subresource's body, or nothing of a deletion.
 *
 * @see controller-runtime pkg/client/interceptor Funcs
 */
export type WriteInterceptor = <Answer>(call: WriteCall, next: (call: WriteCall) => Promise<Answer>) => Promise<Answer>;
