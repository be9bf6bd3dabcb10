export type {
  Conversion as DefinitionConversion,
  CustomResourceDefinition as DefinitionObject,
  DefinitionNames,
  DefinitionVersion as DefinitionObjectVersion,
  JsonSchema,
  PrinterColumn as DefinitionColumn,
  ScaleSubresource as DefinitionScale,
  ValidationRule as DefinitionRule,
} from "./definition/definition.ts";
export type { ServedVersionsOptions } from "./served/served-versions.ts";
export { servedVersions } from "./served/served-versions.ts";
export { CrdController } from "./server/crd-controller.ts";
export { crdResource } from "./server/crd-object.ts";
export { installDefinitions } from "./server/install-definitions.ts";
export { customResourceDefinitionStrategy } from "./validation/definition-strategy.ts";
export { judgeDefinition, judgeObjects } from "./validation/judge-definition.ts";
export { type VersionNeed, versionNeeds } from "./validation/version-needs.ts";
