export { builtinSchema, listMetaSchema, objectMetaSchema, sharedType } from "./builtin-schemas.ts";
export { builtinCatalogue, type CatalogueEntry, type CatalogueVerb } from "./catalogue.ts";
export { patchSchemaOf } from "./patch-schema.ts";
export {
  type AnySchema,
  deduced,
  type EitherSchema,
  type FieldSchema,
  type ListSchema,
  type MapSchema,
  memberSchema,
  type ObjectSchema,
  type ScalarName,
  type ScalarSchema,
  type SchemaNode,
  scalar,
  type TypeSchema,
  untyped,
} from "./type-schema.ts";
export { TypeTables } from "./type-tables.ts";
