/** Determines how a strategic merge patch treats a field. */
export interface PatchFieldSchema {
  /** Merge strategy. Default: `replace` for lists, `merge` for maps. */
  readonly strategy?: "merge" | "replace" | undefined;
  /** Name of the member that identifies an item. Only for merged lists of maps. */
  readonly mergeKey?: string | undefined;
  /** Schema for the members of a map, or for the items of a list. */
  readonly schema?: PatchSchema | undefined;
}

/**
 * Provides the merge strategies for the members of a map. Implemented by the caller, because only the caller knows the
 * types.
 */
export interface PatchSchema {
  /** Returns how a field is merged, or `undefined` if the field is unknown, in which case it has the default strategy. */
  field(name: string): PatchFieldSchema | undefined;
}

/** A schema without merge strategies: maps are merged, and lists are replaced. */
export const noPatchSchema: PatchSchema = { field: () => undefined };
