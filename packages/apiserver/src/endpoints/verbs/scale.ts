import {
  fieldError,
  internalError,
  isRecord,
  type ManagedFieldsEntry,
  ownMember,
  setOwnMember,
  toAggregateInvalid,
  type Unstructured,
} from "@kubewright/apimachinery";
import { checkObject, decodeBody } from "@kubewright/codec";
import { builtinSchema, patchSchemaOf } from "@kubewright/codec/schema";
import type { AdmissionAttributes } from "../../admission/admission.ts";
import type { ReadonlyObject, ServedResource } from "../../registry/resource.ts";
import type { ScalePaths } from "../../registry/strategy.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { type WriteRequestOptions, writeOptions } from "../request/request-options.ts";
import { negotiated, send } from "../responses/respond.ts";
import { methodNotAllowed, unknownResource } from "../responses/responses.ts";
import { admissionAttributes, namespaceOf, type ResourceScope, writeContext } from "../scope/resource-scope.ts";
import { fieldManagerOptions } from "./managed-fields.ts";
import { applyPatch, readPatch } from "./patch-handler.ts";
import type { SubresourceHandler } from "./subresource.ts";
import { checkName, optionsObject } from "./update-handler.ts";

const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" } as const;

/**
 * Handles `/scale`, which represents the number of replicas in the same way for all scalable kinds.
 *
 * @see apiserver registry/apps/deployment/storage ScaleREST
 */
export const scaleSubresource: SubresourceHandler = async (request, scope, verb) => {
  const { scale } = scope.resource.strategy;
  if (!scale) throw unknownResource();
  const wanted = negotiated(request, scope.resource);
  if (verb === "get") {
    const parent = await scope.store.get(namespaceOf(request, scope), request.info.name);
    if (scope.resource.origin === "custom" && valueAt(parent, scale.specReplicas) === undefined)
      throw internalError(new Error(`the spec replicas field ".${scale.specReplicas.join(".")}" does not exist`));
    return send(request, 200, scaleOf(parent, scale), wanted);
  }
  if (verb === "update") {
    const options = writeOptions(request.query, "UpdateOptions");
    const body = await request.body();
    const { object, warnings } = decodeBody(
      request.header("content-type"),
      body,
      expectedScale(),
      options.fieldValidation,
    );
    for (const text of warnings) request.warnings.add(text);
    checkName(request, object);
    return send(request, 200, await write(request, scope, scale, options, () => object), wanted);
  }
  if (verb !== "patch") throw methodNotAllowed();
  const { patch, options } = await readPatch(request, scope.resource.origin === "custom");
  const change = (current: Unstructured): Unstructured => {
    if (patch.type === "apply")
      return { ...current, ...patch.patch, metadata: { ...current.metadata, ...patch.patch.metadata } };
    const patched = applyPatch(current, patch, patchSchemaOf(expectedScale().schema)) as Unstructured;
    const checked = checkObject(patched, expectedScale(), options.fieldValidation, { patch });
    for (const text of checked.warnings) request.warnings.add(text);
    return checked.object;
  };
  send(request, 200, await write(request, scope, scale, options, change), wanted);
};

/** Sets the number of replicas of the parent object from a Scale. */
async function write(
  request: ApiRequest,
  scope: ResourceScope,
  paths: ScalePaths,
  options: WriteRequestOptions,
  change: (current: Unstructured) => Unstructured,
): Promise<Unstructured> {
  const attributes = (scale: Unstructured, old: ReadonlyObject): AdmissionAttributes =>
    admissionAttributes(request, scope, {
      operation: "UPDATE",
      kind: scaleKind,
      object: scale,
      oldObject: scaleOf(old, paths),
      options: optionsObject("UpdateOptions", options),
      dryRun: options.dryRun,
    });
  const { object } = await scope.store.update(
    {
      name: request.info.name,
      part: "main",
      async transform(current) {
        if (!current) throw unknownResource();
        const scale = change(scaleOf(current, paths));
        if (request.info.namespace !== "") scale.metadata.namespace ||= request.info.namespace;
        await scope.admission.admit(attributes(scale, current));
        const replicas = replicasOf(scale);
        if (replicas < 0) throw negative(scope.resource, paths, request.info.name, replicas);
        const parent = structuredClone(current) as Unstructured;
        setPath(parent, paths.specReplicas, replicas);
        if (scale.metadata.resourceVersion) parent.metadata.resourceVersion = scale.metadata.resourceVersion;
        const { fieldManager } = scope.resource;
        const written = { ...fieldManagerOptions(request, scope, options), resetFields: [["status"]] };
        const tracked = fieldManager ? withoutTimes(fieldManager.update(current, parent, written)) : parent;
        if (replicas === 0) disownReplicas(tracked);
        return tracked;
      },
      validateUpdate: (next, old) => scope.admission.validate(attributes(scaleOf(next, paths), old)),
    },
    writeContext(request, scope, options.dryRun),
  );
  return scaleOf(object, paths);
}

/**
 * Returns an object without the times of its `/scale` entries in `managedFields`. Upstream records no time for writes through `/scale`, so
 * these entries are sorted before all other updates.
 */
function withoutTimes(object: Unstructured): Unstructured {
  const entries = (object.metadata.managedFields ?? []).map((entry) => {
    if (entry.subresource !== "scale") return entry;
    const { time: _time, ...rest } = entry;
    return rest;
  });
  const rank = (entry: ManagedFieldsEntry): number =>
    entry.operation === "Apply" ? 0 : entry.time === undefined ? 1 : 2;
  object.metadata.managedFields = entries.sort((a, b) => rank(a) - rank(b));
  return object;
}

/**
 * Removes the owner of the `replicas` field. A Scale with zero replicas does not contain the field, so nobody owns the
 * field after such a write.
 */
function disownReplicas({ metadata }: Unstructured): void {
  const others = metadata.managedFields?.filter(({ subresource }) => subresource !== "scale");
  if (others) metadata.managedFields = others;
}

function expectedScale() {
  const schema = builtinSchema(scaleKind);
  if (!schema) throw new Error("the type Scale is not in the type table");
  return { gvk: scaleKind, schema, custom: false };
}

function scaleOf(parent: ReadonlyObject, paths: ScalePaths): Unstructured {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
  const replicas = Number(valueAt(parent, paths.specReplicas) ?? 0);
  const selector = paths.selector?.(parent as Unstructured);
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      name,
      ...(namespace ? { namespace } : {}),
      ...(uid ? { uid } : {}),
      ...(resourceVersion ? { resourceVersion } : {}),
      ...(creationTimestamp ? { creationTimestamp } : {}),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: Number(valueAt(parent, paths.statusReplicas) ?? 0), ...(selector ? { selector } : {}) },
  };
}

const replicasOf = ({ spec }: Unstructured): number => (isRecord(spec) ? Number(spec.replicas ?? 0) : 0);

/**
 * Returns the error for a negative number of replicas. For custom resources, it refers to their own kind; for built-in resources, to a
 * Scale.
 */
function negative(resource: ServedResource, { specReplicas }: ScalePaths, name: string, replicas: number): Error {
  if (resource.origin === "custom")
    return toAggregateInvalid(resource, name, [
      fieldError.invalid(`.${specReplicas.join(".")}`, replicas, "should be a non-negative integer"),
    ]);
  return toAggregateInvalid({ group: "autoscaling", kind: "Scale" }, name, [
    fieldError.invalid("spec.replicas", replicas, "must be greater than or equal to 0"),
  ]);
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isRecord(at) ? ownMember(at, name) : undefined), value);
}

function setPath(object: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = object;
  for (const name of path.slice(0, -1)) {
    const next = ownMember(at, name);
    const member: Record<string, unknown> = isRecord(next) ? next : {};
    setOwnMember(at, name, member);
    at = member;
  }
  const last = path.at(-1);
  if (last !== undefined) setOwnMember(at, last, value);
}
