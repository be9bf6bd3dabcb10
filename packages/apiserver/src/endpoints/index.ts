export type { ForeignServers, ForeignVersion, Priority } from "./discovery/foreign-versions.ts";
export { openApiDocument } from "./openapi/document.ts";
export { swaggerDocument } from "./openapi/swagger-document.ts";
export type { AuditedObject, KeptForAudit } from "./request/api-request.ts";
export { ApiRequest } from "./request/api-request.ts";
export { type ListRequestOptions, listOptions } from "./request/list-options.ts";
export { checkSegmentName } from "./request/path-segment-name.ts";
export { isTrue, type RequestInfo, type RequestInfoVerb, requestInfo } from "./request/request-info.ts";
export { type WriteRequestOptions, writeOptions } from "./request/request-options.ts";
export type { WarningRecorder } from "./request/warning-recorder.ts";
export type { ListResponse } from "./responses/list-response.ts";
export { negotiated, respondList, respondObject, send } from "./responses/respond.ts";
export { bare, methodNotAllowed, sendEmpty, sendPlainText, sendText, unknownResource } from "./responses/responses.ts";
export { asksForWebSocket, sendStream } from "./responses/stream.ts";
export type { AdmittedParts, RequestAdmission } from "./scope/request-admission.ts";
export { admissionAttributes, namespaceOf, type ResourceScope, writeContext } from "./scope/resource-scope.ts";
export type { ResourceSet, ServedGroup } from "./scope/resource-set.ts";
export type { RunningWatch } from "./scope/running-watches.ts";
export { RunningWatches } from "./scope/running-watches.ts";
export type { SharedFrames } from "./scope/shared-frames.ts";
export { admitCreated, expectedType, shownOptions } from "./verbs/create-handler.ts";
export { fieldManagerOptions, trackFields } from "./verbs/managed-fields.ts";
export { scaleSubresource } from "./verbs/scale.ts";
export {
  approvalSubresource,
  finalizeSubresource,
  partSubresource,
  type SubresourceHandler,
  statusSubresource,
  writable,
} from "./verbs/subresource.ts";
export type { Narrow } from "./verbs/update-handler.ts";
