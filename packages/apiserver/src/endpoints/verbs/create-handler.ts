import type { GroupVersionKind, Unstructured } from "@kubewright/apimachinery";
import { decodeBody } from "@kubewright/codec";
import { gvkOfResource, type ServedResource } from "../../registry/resource.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { type WriteRequestOptions, writeOptions } from "../request/request-options.ts";
import { negotiated, respondObject } from "../responses/respond.ts";
import { createRefused } from "../responses/responses.ts";
import { admissionAttributes, type ResourceScope, writeContext } from "../scope/resource-scope.ts";
import { trackFields } from "./managed-fields.ts";

/** Returns the type that a request body for this resource must have. */
export const expectedType = (resource: ServedResource) => ({
  gvk: gvkOfResource(resource),
  schema: resource.schema,
  custom: resource.origin === "custom",
});

/** Handles POST on a collection. @see apiserver pkg/endpoints/handlers CreateResource */
export async function handleCreate(request: ApiRequest, scope: ResourceScope): Promise<void> {
  const { resource, store, admission } = scope;
  negotiated(request, resource);
  const options = writeOptions(request.query, "CreateOptions");
  const body = await request.body();
  const decoded = decodeBody(request.header("content-type"), body, expectedType(resource), options.fieldValidation);
  for (const text of decoded.warnings) request.warnings.add(text);
  const { object } = decoded;
  request.recordObject(object);
  if (resource.createRefusal) throw createRefused(resource, object.metadata.name ?? "");
  if (resource.scope === "Namespaced" && !object.metadata.namespace) object.metadata.namespace = request.info.namespace;
  delete object.metadata.deletionTimestamp;
  delete object.metadata.deletionGracePeriodSeconds;
  resource.strategy.applyDefaults?.(object);

  const tracked = trackFields(request, scope, undefined, object, options);
  const attributes = admissionAttributes(request, scope, {
    operation: "CREATE",
    object: tracked,
    options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", ...shownOptions(options) },
    dryRun: options.dryRun,
  });
  await admission.admit(attributes);
  const stored = await store.create(tracked, writeContext(request, scope, options.dryRun), (final) =>
    admission.validate(attributes.withObject(final)),
  );
  respondObject(request, scope, 201, stored);
}

/** Runs both admission passes for an object of a different kind that is created through a subresource. */
export async function admitCreated(
  request: ApiRequest,
  scope: ResourceScope,
  created: { readonly kind: GroupVersionKind; readonly object: Unstructured; readonly options: WriteRequestOptions },
): Promise<void> {
  const { kind, object, options } = created;
  const attributes = admissionAttributes(request, scope, {
    operation: "CREATE",
    kind,
    object,
    options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", ...shownOptions(options) },
    dryRun: options.dryRun,
  });
  await scope.admission.admit(attributes);
  await scope.admission.validate(attributes);
}

/** Returns the options of a write in the form in which admission plugins receive them. */
export function shownOptions(options: WriteRequestOptions): Record<string, unknown> {
  return {
    ...(options.dryRun ? { dryRun: ["All"] } : {}),
    ...(options.fieldManager ? { fieldManager: options.fieldManager } : {}),
    ...(options.fieldValidation ? { fieldValidation: options.fieldValidation } : {}),
  };
}
