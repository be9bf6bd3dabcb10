import type { PatchFieldSchema, PatchSchema } from "@kubewright/apimachinery";
import { memberSchema, type TypeSchema } from "./type-schema.ts";

/** Returns the schema that determines how a strategic merge patch merges a type's fields. */
export function patchSchemaOf(schema: TypeSchema): PatchSchema {
  return {
    field(name) {
      if (schema.type === "list") return patchSchemaOf(schema.items).field(name);
      const field = schema.type === "object" ? schema.fields.get(name) : undefined;
      const member = field?.schema ?? memberSchema(schema, name);
      if (!member) return undefined;
      const strategy = field?.patchStrategies.find((s) => s === "merge" || s === "replace");
      const result: PatchFieldSchema = {
        schema: patchSchemaOf(member.type === "list" ? member.items : member),
        ...(strategy === "merge" || strategy === "replace" ? { strategy } : {}),
        ...(field?.patchMergeKey === undefined ? {} : { mergeKey: field.patchMergeKey }),
      };
      return result;
    },
  };
}
