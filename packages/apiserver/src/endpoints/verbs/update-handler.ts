import { badRequest, mutableCopy, type Unstructured } from "@kubewright/apimachinery";
import { decodeBody } from "@kubewright/codec";
import type { WrittenPart } from "../../registry/before-update.ts";
import type { ReadonlyObject } from "../../registry/resource.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { type WriteRequestOptions, writeOptions } from "../request/request-options.ts";
import { negotiated, respondObject } from "../responses/respond.ts";
import { admissionAttributes, type ResourceScope, writeContext } from "../scope/resource-scope.ts";
import { checkMayCreate } from "./create-by-update.ts";
import { expectedType, shownOptions } from "./create-handler.ts";
import { trackFields } from "./managed-fields.ts";

/** Handles PUT of an object or its status. @see apiserver pkg/endpoints/handlers UpdateResource */
export async function handleUpdate(
  request: ApiRequest,
  scope: ResourceScope,
  part: WrittenPart,
  narrow: Narrow = keepAll,
): Promise<void> {
  const { resource } = scope;
  negotiated(request, resource);
  const options = writeOptions(request.query, "UpdateOptions");
  const body = await request.body();
  const decoded = decodeBody(request.header("content-type"), body, expectedType(resource), options.fieldValidation);
  for (const text of decoded.warnings) request.warnings.add(text);
  request.recordObject(decoded.object);
  checkName(request, decoded.object);
  resource.strategy.applyDefaults?.(decoded.object);
  const { uid } = decoded.object.metadata;
  const { object, created } = await scope.store.update(
    {
      name: request.info.name,
      part,
      ...(uid ? { preconditions: { uid } } : {}),
      transform(current) {
        const next = narrow(mutableCopy(decoded.object), current);
        return admitted(request, scope, current, trackFields(request, scope, current, next, options), options);
      },
      ...validators(request, scope, options),
    },
    writeContext(request, scope, options.dryRun),
  );
  respondObject(request, scope, created ? 201 : 200, object);
}

/** Returns the stored object, with the part that a subresource writes replaced by that of the body. */
export type Narrow = (body: Unstructured, current: ReadonlyObject | undefined) => Unstructured;

export const keepAll: Narrow = (body) => body;

/** Runs the mutating admission pass and returns the resulting object. */
export async function admitted(
  request: ApiRequest,
  scope: ResourceScope,
  current: ReadonlyObject | undefined,
  object: Unstructured,
  options: WriteRequestOptions,
): Promise<Unstructured> {
  if (scope.resource.scope === "Namespaced") object.metadata.namespace ||= request.info.namespace;
  await scope.admission.admit(
    admissionAttributes(request, scope, {
      operation: current ? "UPDATE" : "CREATE",
      object,
      oldObject: current,
      options: optionsObject(current ? "UpdateOptions" : "CreateOptions", options),
      dryRun: options.dryRun,
    }),
  );
  return object;
}

/**
 * Returns functions, called by the store, that run the validating admission pass. If an update creates the object, they
 * also check that the user is allowed to create it.
 */
export function validators(
  request: ApiRequest,
  scope: ResourceScope,
  options: WriteRequestOptions,
): {
  readonly validateCreate: (object: Unstructured) => Promise<void>;
  readonly validateUpdate: (object: Unstructured, old: ReadonlyObject) => Promise<void>;
} {
  const { dryRun } = options;
  let allowed: Promise<void> | undefined;
  return {
    async validateCreate(object) {
      allowed ??= checkMayCreate(request, scope); // checked only once, even if the store retries
      await allowed;
      await scope.admission.validate(
        admissionAttributes(request, scope, {
          operation: "CREATE",
          object,
          options: optionsObject("CreateOptions", options),
          dryRun,
        }),
      );
    },
    validateUpdate: (object, oldObject) =>
      scope.admission.validate(
        admissionAttributes(request, scope, {
          operation: "UPDATE",
          object,
          oldObject,
          options: optionsObject("UpdateOptions", options),
          dryRun,
        }),
      ),
  };
}

/**
 * Returns the options object that admission plugins receive. For admission, a patch counts as an update or a creation.
 */
export const optionsObject = (
  kind: "CreateOptions" | "UpdateOptions",
  options: WriteRequestOptions,
): Record<string, unknown> => ({
  kind,
  apiVersion: "meta.k8s.io/v1",
  ...shownOptions(options),
});

/**
 * Checks that the body of a request has the same name as the URL.
 *
 * @throws {StatusError} 400 if the body describes a different object than the URL
 */
export function checkName(request: ApiRequest, object: Unstructured): void {
  const { name } = request.info;
  const given = object.metadata.name;
  if (!given)
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  const { namespace } = object.metadata;
  if (namespace && request.info.namespace && object.kind !== "Namespace" && namespace !== request.info.namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
}
