import type { Unstructured } from "@kubewright/apimachinery";
import { rfc3339 } from "@kubewright/clock";
import { unexplained } from "@kubewright/codec";
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
  if (!live && next.metadata.managedFields === undefined) refuseTooLarge(request, scope, next, options);
  return fieldManager ? fieldManager.update(live, next, fieldManagerOptions(request, scope, options)) : next;
}

/** Even of the shortest names such a body does not become too large, managed fields included. */
const smallBodyBytes = 256 * 1024;

/**
 * Refuses an object that cannot be stored before its fields are made into sets, which takes a second for one of 90,000 members.
 *
 * @throws {StatusError} 500, as the storage
 */
export function refuseTooLarge(
  request: ApiRequest,
  { resource, store }: ResourceScope,
  object: Unstructured,
  { dryRun }: WriteOptions,
): void {
  const { maxObjectBytes } = store;
  const { subresource } = request.info;
  if (!resource.fieldManager || maxObjectBytes === undefined || dryRun || subresource !== "") return;
  if (Number(request.header("content-length")) < smallBodyBytes) return; // where it is not said, it is not known
  const options = { resetFields: resetFields(resource, subresource) };
  if (resource.fieldManager.leastBytes(object, options) > maxObjectBytes)
    throw unexplained("etcdserver: request is too large");
}

/** What this endpoint does not write. */
function resetFields(resource: ServedResource, subresource: string): (readonly string[])[] {
  // nodes may bring a status along, but their status brings no more
  if (!hasStatus(resource)) return subresource === "status" ? [["spec"]] : [];
  if (subresource !== "status") return [["status"], ...(resource.strategy.resetFields ?? []).map((name) => [name])];
  const ignored = metadataIgnoredByStatus(resource);
  return [["spec"], ...(ignored === "all" ? [["metadata"]] : ignored.map((name) => ["metadata", name]))];
}
