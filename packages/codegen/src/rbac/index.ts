export { controllerPermissions } from "./derived.ts";
export { type Grant, type PolicyRule, rulesOf } from "./grants.ts";
export { type Places, placedGrants } from "./placed.ts";
