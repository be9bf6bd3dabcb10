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
import { managerOf, type WriteOptions } from "../request/request-options.ts";
import type { ResourceScope } from "../scope/resource-scope.ts";

/** Who writes, through which endpoint, and when. */
export function fieldManagerOptions(
  request: ApiRequest,
  scope: ResourceScope,
  options: WriteOptions,
): FieldManagerOptions {
  const { subresource } = request.info;
  return {
    manager: managerOf(options.fieldManager, request.header("user-agent")),
    subresource,
    time: rfc3339(scope.clock.now()),
    resetFields: resetFields(scope.resource, subresource),
  };
}

/** The object with its managedFields brought up to date, where the resource keeps them. */
export function trackFields(
  request: ApiRequest,
  scope: ResourceScope,
  live: ReadonlyObject | undefined,
  next: Unstructured,
  options: WriteOptions,
): Unstructured {
  const { fieldManager } = scope.resource;
  return fieldManager ? fieldManager.update(live, next, fieldManagerOptions(request, scope, options)) : next;
}

/** What this endpoint does not write. */
function resetFields(resource: ServedResource, subresource: string): (readonly string[])[] {
  // nodes may bring a status along, but their status brings no more
  if (!hasStatus(resource)) return subresource === "status" ? [["spec"]] : [];
  if (subresource !== "status") return [["status"], ...(resource.strategy.resetFields ?? []).map((name) => [name])];
  const ignored = metadataIgnoredByStatus(resource);
  return [["spec"], ...(ignored === "all" ? [["metadata"]] : ignored.map((name) => ["metadata", name]))];
}
