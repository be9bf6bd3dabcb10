export { customResourceDefinitionStrategy } from "./definition-strategy.ts";
export { servedVersions } from "./served-versions.ts";
export { CrdController } from "./server/crd-controller.ts";
export { crdResource } from "./server/crd-object.ts";
export { installDefinitions } from "./server/install-definitions.ts";
