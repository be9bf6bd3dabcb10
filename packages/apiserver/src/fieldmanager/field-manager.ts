import type { DeepReadonly, Unstructured } from "@kubewright/apimachinery";

export interface FieldManagerOptions {
  readonly manager: string;
  /** The subresource the request came through; empty for the main endpoint. */
  readonly subresource: string;
  /** RFC 3339, whole seconds. */
  readonly time: string;
  /** Paths this endpoint does not write (`status` on the main one, `spec` on status): they take no part. */
  readonly resetFields: readonly (readonly string[])[];
  /**
   * Maximum number of bytes of an object with its managed fields. An object that must become larger is refused before its fields are made
   * into sets, which takes a second for 90,000 members. Default: no maximum.
   */
  readonly mostBytes?: number | undefined;
}

/**
 * Keeps track of which manager owns which fields of the objects of one type.
 *
 * @see apimachinery pkg/util/managedfields FieldManager
 */
export interface FieldManager {
  /**
   * `next` with managedFields brought up to date after a create (`live` absent), update or patch. Never throws for the sake of
   * managedFields that do not decode: the live ones stay.
   *
   * @throws {StatusError} 500 if the object would exceed `mostBytes`, as etcd answers
   */
  update(live: DeepReadonly<Unstructured> | undefined, next: Unstructured, options: FieldManagerOptions): Unstructured;
  /**
   * Server-side apply of `patch` onto `live`.
   *
   * @throws {StatusError} 409 with one cause for each conflict, 400 where the patch does not fit the type, 500 if the object would exceed `mostBytes`
   */
  apply(
    live: DeepReadonly<Unstructured> | undefined,
    patch: Unstructured,
    options: FieldManagerOptions & { readonly force: boolean },
  ): Unstructured;
}
