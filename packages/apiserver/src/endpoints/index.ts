export { negotiated, respondList, respondObject, send } from "./answers/respond.ts";
export { bare, methodNotAllowed, sendEmpty, sendPlainText, sendText, unknownResource } from "./answers/responses.ts";
export { sendStream } from "./answers/stream.ts";
export type { ForeignServers, ForeignVersion, Priority } from "./discovery/foreign-versions.ts";
export { openApiDocument } from "./openapi/document.ts";
export { swaggerDocument } from "./openapi/swagger-document.ts";
export { ApiRequest } from "./request/api-request.ts";
export { listOptions } from "./request/list-options.ts";
export { checkSegmentName } from "./request/path-segment-name.ts";
export { isTrue, type RequestInfo, requestInfo } from "./request/request-info.ts";
export { type WriteRequestOptions, writeOptions } from "./request/request-options.ts";
export { admissionAttributes, namespaceOf, type ResourceScope, writeContext } from "./scope/resource-scope.ts";
export { RunningWatches } from "./scope/running-watches.ts";
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
