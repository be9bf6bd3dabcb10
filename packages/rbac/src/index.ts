export { controllerPermissions, derivedPermissions } from "./derived.ts";
export { type Grant, grantsOf, isGranted, type RoleRule, rulesOf } from "./grants.ts";
export { type NeededAccess, neededAccess } from "./needed-access.ts";
export { type ObservedCall, observedPermissions } from "./observed.ts";
export { observedText, parseObserved } from "./observed-file.ts";
export { type Places, placedGrants } from "./placed.ts";
export type {
  DescribedCache,
  DescribedCertificates,
  DescribedConsole,
  DescribedController,
  DescribedKind,
  DescribedWebhook,
  ProgramDescription,
} from "./program-description.ts";
export { type Rbac, type RbacOptions, type RoleAnnotations, rbacOf, type UserRole } from "./program-roles.ts";
export { recordedPermissions } from "./recorded.ts";
export type { RoleObject } from "./role-objects.ts";
