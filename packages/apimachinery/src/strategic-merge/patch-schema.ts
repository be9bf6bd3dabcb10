/** Determines how a strategic merge patch treats one field. */
export interface PatchFieldSchema {
  /** Merge strategy. Default `replace` for lists, `merge` for maps. */
  readonly strategy?: "merge" | "replace" | undefined;
  /** Member that identifies an item. Only for merged lists of maps. */
  readonly mergeKey?: string | undefined;
  /** Schema for a map's members or a list's items. */
  readonly schema?: PatchSchema | undefined;
}

/** Merge strategies for a map's members. The caller, which knows the types, provides them. */
export interface PatchSchema {
  /** Returns a field's strategy; `undefined` for an unknown field, which has the default strategy. */
  field(name: string): PatchFieldSchema | undefined;
}

/** Schema without strategies: maps are merged, lists are replaced. */
export const noPatchSchema: PatchSchema = { field: () => undefined };
