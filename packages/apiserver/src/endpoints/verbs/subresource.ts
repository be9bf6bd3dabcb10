import { isRecord, mutableCopy, type Unstructured } from "@kubewright/apimachinery";
import type { WrittenPart } from "../../registry/before-update.ts";
import type { ReadonlyObject, ResourceVerb } from "../../registry/resource.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { methodNotAllowed } from "../responses/responses.ts";
import type { ResourceScope } from "../scope/resource-scope.ts";
import { handlePatch } from "./patch-handler.ts";
import { handleGet } from "./read-handlers.ts";
import { handleUpdate, type Narrow } from "./update-handler.ts";

/** Handles requests to a subresource. It receives only requests with verbs that discovery lists. */
export type SubresourceHandler = (request: ApiRequest, scope: ResourceScope, verb: ResourceVerb) => Promise<void>;

/** Creates a handler for a subresource that returns the whole object but writes only part of it. */
export function partSubresource(part: WrittenPart, narrow?: Narrow): SubresourceHandler {
  return async (request, scope, verb) => {
    switch (verb) {
      case "get":
        return handleGet(request, scope);
      case "update":
        return handleUpdate(request, scope, part, narrow);
      case "patch":
        return handlePatch(request, scope, part, narrow);
      default:
        throw methodNotAllowed();
    }
  };
}

/** Handles `/status`, which writes only the status. */
export const statusSubresource: SubresourceHandler = partSubresource("status");

/**
 * Handles `namespaces/finalize`, which writes only metadata and `spec.finalizers`.
 *
 * @see kubernetes pkg/registry/core/namespace FinalizeREST
 */
export const finalizeSubresource: SubresourceHandler = partSubresource("whole", (body, current) => {
  const next = withMetadata(body, current);
  const finalizers = isRecord(body.spec) ? body.spec.finalizers : undefined;
  const { finalizers: _finalizers, ...spec } = isRecord(next.spec) ? next.spec : {};
  next.spec = Array.isArray(finalizers) && finalizers.length > 0 ? { ...spec, finalizers } : spec;
  return next;
});

/** Handles `certificatesigningrequests/approval`, which writes only metadata and `status.conditions`. */
export const approvalSubresource: SubresourceHandler = partSubresource("whole", (body, current) => {
  const next = withMetadata(body, current);
  const conditions = isRecord(body.status) ? body.status.conditions : undefined;
  next.status = { ...(isRecord(next.status) ? next.status : {}), ...(conditions ? { conditions } : {}) };
  return next;
});

/** Returns a copy of the stored object that can be modified, with the precondition and managed fields from the body. */
export function writable(body: Unstructured, current: ReadonlyObject | undefined): Unstructured {
  if (!current) return body;
  const next = mutableCopy(current) as Unstructured;
  const { resourceVersion, managedFields } = body.metadata;
  if (resourceVersion) next.metadata.resourceVersion = resourceVersion;
  if (managedFields) next.metadata.managedFields = managedFields;
  return next;
}

/** Returns a copy of the stored object for writing, with the metadata from the body. */
const withMetadata = (body: Unstructured, current: ReadonlyObject | undefined): Unstructured => ({
  ...writable(body, current),
  metadata: body.metadata,
});
