export { builtinSchema, listMetaSchema, objectMetaSchema, sharedType } from "./builtin-schemas.ts";
export { builtinCatalogue, type CatalogueEntry } from "./catalogue.ts";
export { patchSchemaOf } from "./patch-schema.ts";
export {
  deduced,
  type FieldSchema,
  type ListSchema,
  memberSchema,
  type ObjectSchema,
  type ScalarName,
  type ScalarSchema,
  scalar,
  type TypeSchema,
  untyped,
} from "./type-schema.ts";
export { TypeTables } from "./type-tables.ts";
