export { breakingChanges } from "./compatibility/breaking-changes.ts";
export type { Finding } from "./compatibility/finding.ts";
export { dashboardFiles } from "./dashboards/dashboards.ts";
export { type ChartOptions, helmChart } from "./deploy/helm-chart.ts";
export { type InlineBundle, inlineImage, inlineProgram, maxInlineBytes, withImage } from "./deploy/inline-program.ts";
export { type KustomizeOptions, kustomizeFiles } from "./deploy/kustomize-files.ts";
export type { ManifestOptions } from "./deploy/manifests.ts";
export type { DeploymentOptions, ManifestObject } from "./deploy/program-objects.ts";
export type {
  DescribedCache,
  DescribedCertificates,
  DescribedConsole,
  DescribedController,
  DescribedKind,
  DescribedWebhook,
  ProgramDescription,
} from "./description/program-description.ts";
export { type GeneratedFile, type KindFilesOptions, kindFiles } from "./kinds/kind-files.ts";
export { type ClientsetKind, clientsetText } from "./manifest/clientset-text.ts";
export { type CrdTextOptions, crdText, type Judge } from "./manifest/crd-text.ts";
export { type NeededAccess, neededAccess } from "./rbac/needed-access.ts";
export { type ObservedCall, observedPermissions } from "./rbac/observed.ts";
export { observedText, parseObserved } from "./rbac/observed-file.ts";
export type { RoleAnnotations, UserRole } from "./rbac/rbac-files.ts";
export { type Rbac, type RbacOptions, rbacOf } from "./rbac/rbac-files.ts";
export { recordedPermissions } from "./rbac/recorded.ts";
export type { RoleObject } from "./rbac/role-objects.ts";
export { referenceText } from "./reference/reference-text.ts";
export type { Definition, DefinitionVersion } from "./source/definition.ts";
export { documentText } from "./text/yaml.ts";
