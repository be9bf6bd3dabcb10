import {
  fieldError,
  fieldPath,
  isPathSegmentName,
  type Kind,
  type KubeObject,
  stringifyJson,
  toAggregateInvalid,
  withIntegersOf,
} from "@kubewright/apimachinery";
import type { Query } from "../connection/connection.ts";
import type { NamedObject } from "../contract/objects.ts";
import type { WriteCall } from "../contract/write-call.ts";
import type { DeleteOptions, FieldValidation, PatchOptions, PatchType, WriteOptions } from "../contract/writer.ts";
import { addressOf, listQuery, type ObjectCall, typed } from "./object-calls.ts";
import { subResourceBody } from "./sub-resource-body.ts";

/** Defaults for the writes of a client. */
export interface WriteDefaults {
  /** Owner of the fields that writes set. Default: the server derives one from the user agent; `apply` requires one. */
  readonly fieldOwner?: string | undefined;
  /** Default: the server's (`Warn`). */
  readonly fieldValidation?: FieldValidation | undefined;
  /** Makes the server validate and answer all writes, but store nothing; individual calls cannot disable it. Default false. */
  readonly dryRun?: boolean | undefined;
}

/**
 * Turns a write into a call to the server.
 *
 * @throws {Error} if the object is of another kind, or if `optimisticLock` is set for an object without a resource version
 */
export function writeRequest(call: WriteCall, defaults: WriteDefaults): ObjectCall {
  const { kind, subResource } = call;
  const common = { kind, subResource, signal: call.options.signal };
  switch (call.verb) {
    case "create":
    case "update":
    case "patch":
    case "apply":
      return { ...common, ...sent(call), query: writeQuery(call.options, defaults) };
    case "delete":
      return {
        ...common,
        verb: "delete",
        method: "DELETE",
        ...addressOf(call.object),
        body: deleteOptionsBody(call.options, defaults),
      };
    case "deleteCollection": {
      const { namespace } = call.options;
      const body = deleteOptionsBody(call.options, defaults);
      return { ...common, verb: "delete all", method: "DELETE", namespace, query: listQuery(call.options), body };
    }
  }
}

type SendingCall = Exclude<WriteCall, { readonly verb: "delete" | "deleteCollection" }>;
type Sent = Pick<ObjectCall, "verb" | "method" | "namespace" | "name" | "body" | "contentType">;

/** Returns method, address and body of a write that sends an object. */
function sent(call: SendingCall): Sent {
  switch (call.verb) {
    case "create": {
      if (call.body !== undefined)
        return {
          verb: "create",
          method: "POST",
          ...addressOf(call.object),
          body: stringifyJson(subResourceBody(call)),
        };
      const object = typed("create", call.kind, call.object);
      checkNewName(call.kind, object.metadata);
      return { verb: "create", method: "POST", namespace: object.metadata.namespace, body: stringifyJson(object) };
    }
    case "update": {
      const body =
        call.body === undefined ? replacement(typed("update", call.kind, call.object)) : subResourceBody(call);
      return { verb: "update", method: "PUT", ...addressOf(call.object), body: stringifyJson(body) };
    }
    case "patch":
      return patched(call.object, call.patch, call.options);
    case "apply":
      return patched(call.object, typed("apply", call.kind, call.object), { ...call.options, type: "apply" });
  }
}

/** Reviews are queries: the server answers them and stores nothing, so they have no name. */
const isReview = ({ kind }: Kind): boolean => kind.endsWith("Review");

/**
 * Validates the name of a new object. If it has none, the server makes one from `generateName`.
 *
 * @throws {StatusError} `Invalid`, as the server would return
 */
function checkNewName(
  kind: Kind,
  { name, generateName }: { readonly name?: unknown; readonly generateName?: unknown },
): void {
  if (!name && (generateName || isReview(kind))) return;
  const at = fieldPath("metadata", "name");
  const errors = name
    ? newNameProblems(name).map((problem) => fieldError.invalid(at, name, problem))
    : [fieldError.required(at, "name or generateName is required")];
  if (errors.length > 0) throw toAggregateInvalid(kind, typeof name === "string" ? name : "", errors);
}

function newNameProblems(name: unknown): string[] {
  if (typeof name !== "string") return ["must be a string"];
  return name.isWellFormed() ? isPathSegmentName(name) : ["must be well-formed Unicode"];
}

/** Removes `managedFields`: an update with only a part of them would erase the ownership of the other managers. */
const replacement = (object: KubeObject): object =>
  withIntegersOf(object, {
    ...object,
    metadata: withIntegersOf(object.metadata, { ...object.metadata, managedFields: undefined }),
  });

function patched(object: NamedObject, patch: object, options: PatchOptions): Sent {
  const { type = "merge" } = options;
  return {
    verb: type === "apply" ? "apply" : "patch",
    method: "PATCH",
    ...addressOf(object),
    body: stringifyJson(options.optimisticLock ? locked(patch, object) : patch),
    contentType: patchContentType[type],
  };
}

const patchContentType: Readonly<Record<PatchType, string>> = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

/** Adds the resource version of the original object to the patch, so that the server refuses it if a newer version exists. */
function locked(patch: object, { metadata: { resourceVersion } }: NamedObject): object {
  if (!resourceVersion) throw new Error("optimisticLock needs an object with a resourceVersion as target");
  if (Array.isArray(patch))
    return [{ op: "test", path: "/metadata/resourceVersion", value: resourceVersion }, ...patch];
  const metadata = "metadata" in patch && typeof patch.metadata === "object" ? patch.metadata : {};
  return withIntegersOf(patch, {
    ...patch,
    metadata: withIntegersOf(metadata ?? {}, { ...metadata, resourceVersion }),
  });
}

function writeQuery(options: WriteOptions & Pick<PatchOptions, "force">, defaults: WriteDefaults): Query {
  return {
    fieldManager: options.fieldOwner ?? defaults.fieldOwner,
    fieldValidation: options.fieldValidation ?? defaults.fieldValidation,
    dryRun: options.dryRun || defaults.dryRun ? "All" : undefined,
    force: options.force ? true : undefined,
  };
}

function deleteOptionsBody(options: DeleteOptions, defaults: WriteDefaults): string {
  const { gracePeriodSeconds, propagationPolicy, preconditions } = options;
  const dryRun = options.dryRun || defaults.dryRun;
  return JSON.stringify({
    kind: "DeleteOptions",
    apiVersion: "v1",
    gracePeriodSeconds,
    propagationPolicy,
    preconditions,
    ...(dryRun ? { dryRun: ["All"] } : {}),
  });
}
