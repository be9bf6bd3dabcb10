import type { Unstructured } from "@kubewright/apimachinery";
import { rfc3339 } from "@kubewright/clock";
import type { FieldManagerOptions } from "../../fieldmanager/field-manager.ts";
import {
  hasStatus,
  metadataIgnoredByStatus,
  type ReadonlyObject,
  type ServedResource,
} from "../../registry/resource.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { managerOf, type WriteRequestOptions } from "../request/request-options.ts";
import type { ResourceScope } from "../scope/resource-scope.ts";

/** Returns the options for the field manager: its name, the subresource and the time of the write. */
export function fieldManagerOptions(
  request: ApiRequest,
  scope: ResourceScope,
  options: WriteRequestOptions,
): FieldManagerOptions {
  const { subresource } = request.info;
  return {
    manager: managerOf(options.fieldManager, request.header("user-agent")),
    subresource,
    time: rfc3339(scope.clock.now()),
    resetFields: resetFields(scope.resource, subresource),
    maxBytes: maxBytesOf(request, scope, options),
  };
}

/** Returns the object with updated `managedFields`, or unchanged if the resource does not track them. */
export function trackFields(
  request: ApiRequest,
  scope: ResourceScope,
  live: ReadonlyObject | undefined,
  next: Unstructured,
  options: WriteRequestOptions,
): Unstructured {
  const { fieldManager } = scope.resource;
  return fieldManager ? fieldManager.update(live, next, fieldManagerOptions(request, scope, options)) : next;
}

/**
 * Size below which a body is small, so that the object cannot become too large together with its managed fields, however many fields
 * it has.
 */
const smallBodyBytes = 256 * 1024;

/**
 * Returns the maximum size of the object that a request may store. Returns `undefined` for small bodies and dry runs, whose objects need
 * not be measured.
 */
function maxBytesOf(
  request: ApiRequest,
  { store }: ResourceScope,
  { dryRun }: WriteRequestOptions,
): number | undefined {
  const isSmall = Number(request.header("content-length")) < smallBodyBytes; // a body whose length is unknown does not count as small
  return isSmall || dryRun || request.info.subresource !== "" ? undefined : store.maxObjectBytes;
}

/** Returns the paths of the fields that an endpoint ignores in a write. */
function resetFields(resource: ServedResource, subresource: string): (readonly string[])[] {
  // unlike other kinds, nodes accept a status at the main endpoint; their status endpoint writes only the status
  if (!hasStatus(resource)) return subresource === "status" ? [["spec"]] : [];
  if (subresource !== "status") return [["status"], ...(resource.strategy.resetFields ?? []).map((name) => [name])];
  const ignored = metadataIgnoredByStatus(resource);
  return [["spec"], ...(ignored === "all" ? [["metadata"]] : ignored.map((name) => ["metadata", name]))];
}
