export { controllerPermissions, derivedPermissions } from "./derived.ts";
export { type Grant, grantsOf, isGranted, type RoleRule, rulesOf } from "./grants.ts";
export { type Places, placedGrants } from "./placed.ts";
