export { readFieldSelector, readLabelSelector } from "./authorization-attributes.ts";
export { Compactor } from "./compactor.ts";
export { DynamicAdmission } from "./dynamic-admission.ts";
export { ensureObjects } from "./ensure-objects.ts";
export { type DelayOptions, type FailNextOptions, Faults, type FaultTarget } from "./faults.ts";
export { filterChain } from "./filter-chain.ts";
export {
  type DelegationTarget,
  discoveryOf,
  GenericServer,
  openApiOf,
  serveInOrder,
  unservedVersions,
} from "./generic-server.ts";
export { healthCheckLines, healthPaths } from "./health-endpoints.ts";
export { Impersonation } from "./impersonation.ts";
export { Listener } from "./listener.ts";
export { metricsEndpoint } from "./metrics-endpoint.ts";
export { mirroredVersion } from "./mirrored-version.ts";
export { nonResourceEndpoints } from "./non-resource-endpoints.ts";
export { readOptionFile, statOptionFile } from "./option-file.ts";
export { serverContext } from "./own-writes.ts";
export { paramReader } from "./param-reader.ts";
export { AllServedResources } from "./served-resources.ts";
export { objectsOf, ServingContext } from "./serving-context.ts";
export { withRetries } from "./with-retries.ts";
