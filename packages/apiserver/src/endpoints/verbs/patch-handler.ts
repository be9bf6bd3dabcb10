import {
  applyMergePatch,
  badRequest,
  conflict,
  JsonPatchError,
  mutableCopy,
  notFound,
  PatchError,
  type PatchSchema,
  strategicMergePatch,
  type Unstructured,
} from "@kubewright/apimachinery";
import { applyRawJsonPatch, checkObject, type ParsedPatch, parsePatch, unexplained } from "@kubewright/codec";
import { patchSchemaOf } from "@kubewright/codec/schema";
import { changesOnlyTimes } from "../../fieldmanager/typed-field-manager.ts";
import type { WrittenPart } from "../../registry/before-update.ts";
import { gvkOfResource, type ReadonlyObject } from "../../registry/resource.ts";
import { staleVersion } from "../../registry/storage-status.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { type WriteRequestOptions, writeOptions } from "../request/request-options.ts";
import { negotiated, respondObject } from "../responses/respond.ts";
import { bare, createRefused } from "../responses/responses.ts";
import { type ResourceScope, writeContext } from "../scope/resource-scope.ts";
import { expectedType } from "./create-handler.ts";
import { fieldManagerOptions, trackFields } from "./managed-fields.ts";
import { admitted, checkName, keepAll, type Narrow, validators } from "./update-handler.ts";

type PlainPatch = Exclude<ParsedPatch, { readonly type: "apply" }>;
type ApplyPatch = Extract<ParsedPatch, { readonly type: "apply" }>;

/**
 * Handles PATCH of an object or its status, for all four patch types.
 *
 * @see apiserver pkg/endpoints/handlers PatchResource
 */
export async function handlePatch(
  request: ApiRequest,
  scope: ResourceScope,
  part: WrittenPart,
  narrow: Narrow = keepAll,
): Promise<void> {
  const { resource } = scope;
  negotiated(request, resource);
  const { patch, options } = await readPatch(request, resource.origin === "custom");
  const { object, created } = await scope.store.update(
    {
      name: request.info.name,
      part,
      forceCreate: patch.type === "apply" && part === "main",
      async transform(current) {
        const next =
          patch.type === "apply"
            ? applied(request, scope, current, patch, options)
            : patched(request, scope, current, patch, options);
        return admitted(request, scope, current, narrow(next, current), options);
      },
      ...validators(request, scope, options),
    },
    writeContext(request, scope, options.dryRun),
  );
  respondObject(request, scope, created ? 201 : 200, object);
}

/** Returns the patch and the options of a PATCH request. @throws {StatusError} 400, 415 or 422 if they are not valid */
export async function readPatch(
  request: ApiRequest,
  custom: boolean,
): Promise<{ readonly patch: ParsedPatch; readonly options: WriteRequestOptions }> {
  const contentType = request.header("content-type");
  const isApply = contentType?.split(";")[0]?.trim() === "application/apply-patch+yaml";
  const options = writeOptions(request.query, "PatchOptions", { isApply });
  const patch = parsePatch(contentType, await request.body(), options.fieldValidation, custom);
  request.recordObject(patch.type === "json" ? patch.operations : patch.patch);
  if (patch.type === "apply") for (const text of patch.warnings) request.warnings.add(text);
  return { patch, options };
}

/**
 * Messages of errors in a strategic merge patch for which upstream returns a 400.
 *
 * @see apiserver pkg/endpoints/handlers interpretStrategicMergePatchError
 */
const badFormats: ReadonlySet<string> = new Set([
  "invalid patch format of primitive list",
  "invalid patch format of retainKeys",
  "invalid patch format of setElementOrder list",
]);
const unprocessable: ReadonlySet<string> = new Set([
  "lists of lists are not supported",
  "patch content doesn't match retainKeys list",
]);

/**
 * Applies a JSON patch, merge patch or strategic merge patch, and returns the result. A JSON patch changes the document in place.
 *
 * @throws {StatusError} 422 or 400 if the patch cannot be applied
 */
export function applyPatch(document: unknown, patch: PlainPatch, schema: PatchSchema): unknown {
  try {
    if (patch.type === "json") return applyRawJsonPatch(document, patch.operations);
    if (patch.type === "merge") return applyMergePatch(document, patch.patch);
    return strategicMergePatch(document as Record<string, unknown>, patch.patch, schema);
  } catch (error) {
    if (error instanceof JsonPatchError)
      throw bare(422, "Invalid", "the server rejected our request due to an error in our request");
    if (!(error instanceof PatchError)) throw error;
    if (badFormats.has(error.message)) throw badRequest(error.message);
    if (unprocessable.has(error.message)) throw bare(422, "Invalid", error.message);
    throw unexplained(error.message);
  }
}

function patched(
  request: ApiRequest,
  scope: ResourceScope,
  current: ReadonlyObject | undefined,
  patch: PlainPatch,
  options: WriteRequestOptions,
): Unstructured {
  const { resource } = scope;
  if (!current) throw notFound(resource, request.info.name);
  // the result of a merge patch shares unchanged parts with the original, but decoding a built-in type copies them
  const isCopied = patch.type === "merge" && resource.origin === "builtin";
  const before: unknown = isCopied ? current : mutableCopy(current);
  const result = applyPatch(before, patch, patchSchemaOf(resource.schema)) as Unstructured;
  const checked = checkObject(result, expectedType(resource), options.fieldValidation, { patch });
  for (const text of checked.warnings) request.warnings.add(text);
  checkName(request, checked.object);
  resource.strategy.applyDefaults?.(checked.object);
  return trackFields(request, scope, current, checked.object, options);
}

function applied(
  request: ApiRequest,
  scope: ResourceScope,
  current: ReadonlyObject | undefined,
  { patch }: ApplyPatch,
  options: WriteRequestOptions,
): Unstructured {
  const { resource } = scope;
  if (!resource.fieldManager) throw badRequest("this resource does not support server-side apply");
  checkApplied(request, scope, patch);
  if (!current && resource.createRefusal) throw createRefused(resource, request.info.name);
  const { uid, resourceVersion } = patch.metadata;
  if (!current && uid) {
    const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
    throw conflict(resource, request.info.name, why);
  }
  if (current && resourceVersion && resourceVersion !== current.metadata.resourceVersion)
    throw staleVersion(resource, request.info.name);
  const result = resource.fieldManager.apply(current, mutableCopy(patch), {
    ...fieldManagerOptions(request, scope, options),
    force: options.force,
  });
  const checked = checkObject(result, expectedType(resource), options.fieldValidation, { keepsNulls: true });
  for (const text of checked.warnings) request.warnings.add(text);
  const { object } = checked;
  checkName(request, object);
  resource.strategy.applyDefaults?.(object);
  if (current?.metadata.resourceVersion) object.metadata.resourceVersion = current.metadata.resourceVersion;
  else delete object.metadata.resourceVersion;
  return current && changesOnlyTimes(current, object) ? mutableCopy(current) : object;
}

function checkApplied(request: ApiRequest, { resource }: ResourceScope, patch: Unstructured): void {
  const { group, version, kind } = gvkOfResource(resource);
  const apiVersion = group === "" ? version : `${group}/${version}`;
  if (patch.apiVersion !== apiVersion || patch.kind !== kind)
    throw badRequest(
      `invalid object type: ${patch.apiVersion.includes("/") ? "" : "/"}${patch.apiVersion}, Kind=${patch.kind}`,
    );
  if (patch.metadata.managedFields) throw badRequest("metadata.managedFields must be nil");
  // if the name is not a string, validation with the schema fails later
  if (typeof patch.metadata.name === "string" && patch.metadata.name !== "") checkName(request, patch);
}
