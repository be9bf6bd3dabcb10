export { readFieldSelector, readLabelSelector } from "./chain/authorization-attributes.ts";
export { type DelayOptions, type FailNextOptions, type FaultTarget, ServerFaults } from "./chain/faults.ts";
export type { ChainHandler, FilterChainOptions, FlowClassifier } from "./chain/filter-chain.ts";
export { filterChain } from "./chain/filter-chain.ts";
export { ImpersonationFilter } from "./chain/impersonation.ts";
export { Compactor } from "./compactor.ts";
export type { DynamicAdmissionParts } from "./dynamic-admission.ts";
export { DynamicAdmission } from "./dynamic-admission.ts";
export { ensureObjects } from "./ensure-objects.ts";
export {
  type DelegationTarget,
  discoveryOf,
  GenericServer,
  openApiOf,
  serveInOrder,
  unservedVersions,
} from "./generic-server.ts";
export { healthCheckLines, healthPaths, type ServerHealthCheck } from "./health-endpoints.ts";
export { InProcessListener, type InProcessListenerOptions } from "./in-process-listener.ts";
export type { ListenerOptions, ListenerTls } from "./listener.ts";
export { Listener } from "./listener.ts";
export { metricsEndpoint } from "./metrics-endpoint.ts";
export { mirroredVersion } from "./mirrored-version.ts";
export { nonResourceEndpoints } from "./non-resource-endpoints.ts";
export { readOptionFile, statOptionFile } from "./option-file.ts";
export { serverContext } from "./own-writes.ts";
export { paramReader } from "./param-reader.ts";
export { AllServedResources } from "./served-resources.ts";
export type { ServingContextParts } from "./serving-context.ts";
export { objectsOf, ServingContext } from "./serving-context.ts";
export { type WithRetriesOptions, withRetries } from "./with-retries.ts";
