/** How a strategic merge patch treats one field. */
export interface PatchFieldSchema {
  /** For lists: `merge` or `replace`, default `replace`. For maps: `replace` or `merge`, default `merge`. */
  readonly strategy?: "merge" | "replace";
  /** Member that identifies an item. Only for lists of maps that are merged. */
  readonly mergeKey?: string;
  /** Schema of the members of a map, or of the items of a list. */
  readonly schema?: PatchSchema;
}

/** Merge strategies of the members of a map. The caller, which knows the types, provides it. */
export interface PatchSchema {
  /** Returns the strategy of a field. `undefined` for an unknown field, which has the default strategy. */
  field(name: string): PatchFieldSchema | undefined;
}

/** Schema without strategies: maps are merged, lists are replaced. */
export const noPatchSchema: PatchSchema = { field: () => undefined };
