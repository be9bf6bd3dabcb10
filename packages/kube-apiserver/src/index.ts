export type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from "@kubewright/apiserver/admission";
export { ServiceAccountTokenSigner, type TokenTimes } from "@kubewright/apiserver/authentication";
export { type RequestInfo, requestInfo } from "@kubewright/apiserver/endpoints";
export type { InProcessHandle, InProcessRequest, InProcessResponse } from "@kubewright/apiserver/http";
export type {
  DelayOptions,
  FailNextOptions,
  FaultTarget,
  ServerFaults,
} from "@kubewright/apiserver/server";
export type { StorageOptions } from "@kubewright/storage";
export { type PluginSelection, selectionErrors as pluginSelectionErrors } from "./admission/plugin-selection.ts";
export { type AuthenticationOptions, authenticationOptionErrors } from "./authentication/authentication-options.ts";
export type { FrontProxyOptions } from "./authentication/front-proxy.ts";
export {
  type AuthorizationMode,
  type AuthorizationOptions,
  authorizationModes,
  authorizationOptionErrors,
} from "./authorization/authorization-options.ts";
export type {
  ContainerExecRequest,
  ContainerLogRequest,
  ContainerRequest,
  ContainerSession,
  ContainerStreams,
  Kubelets,
  PodDialer,
  PodRequest,
} from "./kubelet/kubelets.ts";
export { ApiServer } from "./server/api-server.ts";
export type { ApiServerOptions, FeatureGates } from "./server/api-server-options.ts";
export type { ServerConnection } from "./server/kubeconfig.ts";
export type { AuditOptions } from "./server/open-auditor.ts";
export type { RuntimeConfig } from "./server/runtime-config.ts";
export type { UserCredentials, UserOptions } from "./server/users.ts";
