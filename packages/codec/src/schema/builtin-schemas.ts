import { apiVersionOf, type GroupVersionKind } from "@kubewright/apimachinery";
import type { ObjectSchema } from "./type-schema.ts";
import { TypeTables } from "./type-tables.ts";
import { accessControlV1Types } from "./types/access-control-v1.ts";
import { admissionregistrationV1Types } from "./types/admissionregistration-v1.ts";
import { apiextensionsV1Types } from "./types/apiextensions-v1.ts";
import { appsV1Types } from "./types/apps-v1.ts";
import { autoscalingTypes } from "./types/autoscaling.ts";
import { batchV1Types } from "./types/batch-v1.ts";
import { coreV1Types } from "./types/core-v1.ts";
import { metaV1Types } from "./types/meta-v1.ts";
import { networkingV1Types } from "./types/networking-v1.ts";
import { resourceV1Types } from "./types/resource-v1.ts";
import { smallGroupsV1Types } from "./types/small-groups-v1.ts";
import { storageV1Types } from "./types/storage-v1.ts";

let tables: TypeTables | undefined;

/** Returns the tables of all built-in types, including types that are not kinds. */
function builtinTypes(): TypeTables {
  tables ??= new TypeTables([
    coreV1Types,
    metaV1Types,
    appsV1Types,
    batchV1Types,
    networkingV1Types,
    autoscalingTypes,
    admissionregistrationV1Types,
    apiextensionsV1Types,
    resourceV1Types,
    storageV1Types,
    accessControlV1Types,
    smallGroupsV1Types,
  ]);
  return tables;
}

/**
 * Returns the schema of a built-in kind, or of options that exist in every group (such as `DeleteOptions`). Returns `undefined` if the kind
 * is unknown.
 */
export function builtinSchema(gvk: GroupVersionKind): ObjectSchema | undefined {
  const apiVersion = gvk.group === "meta.k8s.io" ? "meta/v1" : apiVersionOf(gvk);
  const schema =
    builtinTypes().find(apiVersion, gvk.kind) ??
    (gvk.version === "v1" ? builtinTypes().find("meta/v1", gvk.kind) : undefined);
  return schema?.type === "object" ? schema : undefined;
}

/**
 * Returns a type that is not a kind in any group: a type from `meta/v1`, or the type returned by the version endpoint.
 * @throws {Error} if the name is unknown
 */
export function sharedType(apiVersion: "meta/v1" | "version", name: string): ObjectSchema {
  return required(apiVersion, name);
}

/** Returns the schema of an object's `metadata`. */
export function objectMetaSchema(): ObjectSchema {
  return required("meta/v1", "ObjectMeta");
}

/** Returns the schema of a list's `metadata`. */
export function listMetaSchema(): ObjectSchema {
  return required("meta/v1", "ListMeta");
}

function required(apiVersion: string, name: string): ObjectSchema {
  const schema = builtinTypes().find(apiVersion, name);
  if (schema?.type !== "object") throw new Error(`type table: no type ${apiVersion}.${name}`);
  return schema;
}
