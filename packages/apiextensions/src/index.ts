export type { CustomResourceDefinition as DefinitionObject } from "./definition/definition.ts";
export type { ServedVersionsOptions } from "./served/served-versions.ts";
export { servedVersions } from "./served/served-versions.ts";
export { CrdController } from "./server/crd-controller.ts";
export { crdResource } from "./server/crd-object.ts";
export { installDefinitions } from "./server/install-definitions.ts";
export { customResourceDefinitionStrategy } from "./validation/definition-strategy.ts";
export { judgeDefinition } from "./validation/judge-definition.ts";
