/** How a strategic merge patch treats one field. */
export interface PatchFieldSchema {
  /** For lists: `merge` or `replace`, default `replace`. For maps: `replace` or `merge`, default `merge`. */
  readonly strategy?: "merge" | "replace" | undefined;
  /** Member that identifies an item. Only for lists of maps that are merged. */
  readonly mergeKey?: string | undefined;
  /** Schema for a map's members or a list's items. */
  readonly schema?: PatchSchema | undefined;
}

/** Merge strategies for a map's members, provided by the caller, which knows the types. */
export interface PatchSchema {
  /** Returns a field's strategy; `undefined` for an unknown field, to which the default strategy applies. */
  field(name: string): PatchFieldSchema | undefined;
}

/** Schema without strategies: maps are merged, lists are replaced. */
export const noPatchSchema: PatchSchema = { field: () => undefined };
