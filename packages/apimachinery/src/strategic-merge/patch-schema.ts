/** How strategic merge treats one field. */
export interface PatchFieldSchema {
  /** Lists: `merge` or `replace` (the default). Maps: `replace` or, by default, merged. */
  readonly strategy?: "merge" | "replace";
  /** For lists of maps that are merged: the member that identifies an item. */
  readonly mergeKey?: string;
  /** Of the map's members, or of the list's items. */
  readonly schema?: PatchSchema;
}

/** What is known about the members of a map; whoever knows the types supplies it. */
export interface PatchSchema {
  /** `undefined` for a field that is not known: it is treated as one without strategy. */
  field(name: string): PatchFieldSchema | undefined;
}

/** A schema that knows nothing: maps are merged, lists replaced. */
export const noPatchSchema: PatchSchema = { field: () => undefined };
