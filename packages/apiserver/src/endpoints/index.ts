export { ApiRequest } from "./api-request.ts";
export { admitCreated, expectedType, shownOptions } from "./create-handler.ts";
export { listOptions } from "./list-options.ts";
export { fieldManagerOptions, trackFields } from "./managed-fields.ts";
export { openApiDocument } from "./openapi/document.ts";
export { swaggerDocument } from "./openapi/swagger-document.ts";
export { checkSegmentName } from "./path-segment-name.ts";
export { isTrue, type RequestInfo, requestInfo } from "./request-info.ts";
export { type WriteOptions, writeOptions } from "./request-options.ts";
export { admissionAttributes, namespaceOf, type ResourceScope, writeContext } from "./resource-scope.ts";
export { negotiated, respondList, respondObject, send } from "./respond.ts";
export { bare, methodNotAllowed, sendEmpty, sendText, unknownResource } from "./responses.ts";
export { RunningWatches } from "./running-watches.ts";
export { scaleSubresource } from "./scale.ts";
export {
  approvalSubresource,
  finalizeSubresource,
  partSubresource,
  type SubresourceHandler,
  statusSubresource,
  writable,
} from "./subresource.ts";
