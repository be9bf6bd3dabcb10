import type { DeepReadonly, Unstructured } from "@kubewright/apimachinery";

/** Field manager, time and endpoint of a write. */
export interface FieldManagerOptions {
  readonly manager: string;
  /** The subresource of the request; empty for the main endpoint. */
  readonly subresource: string;
  /** RFC 3339, whole seconds. */
  readonly time: string;
  /** Paths that this endpoint does not write (`status` on the main one, `spec` on status), and therefore ignores. */
  readonly resetFields: readonly (readonly string[])[];
  /**
   * Maximum number of bytes of an object with its managed fields. A larger object is rejected before its fields are converted to sets,
   * which would take a second for 90,000 fields. Default: no maximum.
   */
  readonly maxBytes?: number | undefined;
}

/**
 * Tracks the field managers of objects of one type.
 *
 * @see apimachinery pkg/util/managedfields FieldManager
 */
export interface FieldManager {
  /**
   * Returns `next` with updated managedFields after a create (`live` absent), update or patch. Does not throw if managedFields cannot
   * be decoded. In that case, the live managedFields remain.
   *
   * @throws {StatusError} 500 if the object would exceed `maxBytes`, as etcd reports
   */
  update(live: DeepReadonly<Unstructured> | undefined, next: Unstructured, options: FieldManagerOptions): Unstructured;
  /**
   * Applies `patch` to `live` with server-side apply.
   *
   * @throws {StatusError} 409 with one cause for each conflict, 400 if the patch does not match the type, 500 if the object would exceed
   * `maxBytes`
   */
  apply(
    live: DeepReadonly<Unstructured> | undefined,
    patch: Unstructured,
    options: FieldManagerOptions & { readonly force: boolean },
  ): Unstructured;
}
