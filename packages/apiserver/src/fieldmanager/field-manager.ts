import type { DeepReadonly, Unstructured } from "@kubewright/apimachinery";

/** Options for tracking a write: the field manager, the time and the endpoint. */
export interface FieldManagerOptions {
  readonly manager: string;
  /** Subresource of the request; empty for the main endpoint. */
  readonly subresource: string;
  /** Time of the write, in RFC 3339 format and whole seconds. */
  readonly time: string;
  /**
   * Paths that the endpoint does not write and therefore ignores, such as `status` on the main endpoint and `spec` on the endpoint
   * `status`.
   */
  readonly resetFields: readonly (readonly string[])[];
  /**
   * Maximum size of an object with its managed fields, in bytes. A larger object is rejected early, before its fields are converted
   * to sets: for 90,000 fields, this takes a second. Default: unlimited.
   */
  readonly maxBytes?: number | undefined;
}

/**
 * Tracks which managers own the fields of objects of one type.
 *
 * @see apimachinery pkg/util/managedfields FieldManager
 */
export interface FieldManager {
  /**
   * Returns `next` with updated `managedFields` after a create (without `live`), update or patch. If the `managedFields` in the request
   * cannot be decoded, those of `live` are kept.
   *
   * @throws {StatusError} 500 with etcd's message if the object would exceed `maxBytes`
   */
  update(live: DeepReadonly<Unstructured> | undefined, next: Unstructured, options: FieldManagerOptions): Unstructured;
  /**
   * Applies `patch` to `live` with server-side apply, and returns the resulting object.
   *
   * @throws {StatusError} 409 if there are conflicts (with one cause for each), 400 if the patch does not match the type, 500 if the object
   * would exceed `maxBytes`
   */
  apply(
    live: DeepReadonly<Unstructured> | undefined,
    patch: Unstructured,
    options: FieldManagerOptions & { readonly force: boolean },
  ): Unstructured;
}
