import { ignoreNotFound, type Status } from "@kubewright/apimachinery";
import { nextTurn } from "@kubewright/clock";
import type { DeletionOptions } from "../../registry/deletion.ts";
import type { ReadonlyObject, ServedResource } from "../../registry/resource.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { deleteOptions } from "../request/delete-options.ts";
import { listOptions } from "../request/list-options.ts";
import { negotiated, respondList, respondObject, send } from "../responses/respond.ts";
import { admissionAttributes, namespaceOf, type ResourceScope, writeContext } from "../scope/resource-scope.ts";

/** Handles DELETE of one object. @see apiserver pkg/endpoints/handlers DeleteResource */
export async function handleDelete(request: ApiRequest, scope: ResourceScope): Promise<void> {
  const wanted = negotiated(request, scope.resource);
  const options = await deleteOptions(request);
  warnOfDefaultPropagation(request, scope, options);
  const { object, gone } = await deleteOne(request, scope, request.info.name, options);
  const accepted = !gone && options.orphanDependents === false;
  if (gone && !scope.resource.strategy.returnDeletedObject)
    return send(request, 200, successOf(scope.resource, object), wanted);
  respondObject(request, scope, accepted ? 202 : 200, object);
}

/** Maximum number of consecutive deletions, after which other work can run, such as sending watch events and handling other requests. */
const objectsATurn = 100;

/** Handles DELETE of a collection. Each object is deleted as if by a separate request. */
export async function handleDeleteCollection(request: ApiRequest, scope: ResourceScope): Promise<void> {
  negotiated(request, scope.resource);
  const { selection, limit, continue: token } = listOptions(request.query, scope, false);
  const options = await deleteOptions(request);
  warnOfDefaultPropagation(request, scope, options);
  const namespace = namespaceOf(request, scope);
  const result = await scope.store.list({ namespace, selection, limit, continue: token, signal: request.signal });
  const items: ReadonlyObject[] = [];
  for (const item of result.items) {
    await deleteOne(request, scope, item.metadata.name, options, item.metadata.namespace).catch(ignoreNotFound);
    if (items.push(item) % objectsATurn === 0) await nextTurn(scope.clock);
  }
  await respondList(request, scope, { items, metadata: result.metadata });
}

function warnOfDefaultPropagation(request: ApiRequest, { resource }: ResourceScope, options: DeletionOptions): void {
  const { warningOnDefaultPropagation: warning } = resource.strategy;
  if (warning && options.propagationPolicy === undefined && options.orphanDependents === undefined)
    request.warnings.add(warning);
}

async function deleteOne(
  request: ApiRequest,
  scope: ResourceScope,
  name: string,
  options: DeletionOptions,
  namespace = namespaceOf(request, scope),
): Promise<{ readonly object: ReadonlyObject; readonly gone: boolean }> {
  const { dryRun, ...shown } = options;
  const context = { ...writeContext(request, scope, dryRun), namespace };
  return scope.store.delete(name, options, context, async (oldObject) => {
    const attributes = admissionAttributes(request, scope, {
      operation: "DELETE",
      oldObject,
      options: {
        kind: "DeleteOptions",
        apiVersion: "meta.k8s.io/v1",
        ...shown,
        ...(dryRun ? { dryRun: ["All"] } : {}),
      },
      dryRun,
      name: request.info.name, // empty if a collection is deleted
    });
    await scope.admission.admit(attributes);
    await scope.admission.validate(attributes);
  });
}

function successOf(resource: ServedResource, { metadata }: ReadonlyObject): Status {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      name: metadata.name,
      ...(resource.group === "" ? {} : { group: resource.group }),
      kind: resource.resource,
      ...(metadata.uid ? { uid: metadata.uid } : {}),
    },
  };
}
