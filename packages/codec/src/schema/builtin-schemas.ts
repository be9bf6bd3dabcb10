import { apiVersionOf, type GroupVersionKind } from "@kubewright/apimachinery";
import { indexTypeTable, parseTypeLine, type TypeLine, type TypeSection, wrappedStrings } from "./parse-type-table.ts";
import {
  deduced,
  type FieldSchema,
  type ObjectSchema,
  type ScalarName,
  scalar,
  type TypeSchema,
  untyped,
} from "./type-schema.ts";
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

const scalars: ReadonlySet<string> = new Set<ScalarName>([
  "string",
  "int32",
  "int64",
  "uint8",
  "bool",
  "double",
  "bytes",
  "Time",
  "MicroTime",
  "Duration",
  "Quantity",
  "IntOrString",
]);
const isScalarName = (name: string): name is ScalarName => scalars.has(name);

let lines: Map<string, TypeLine> | undefined;
const parsed = new Map<string, TypeSchema>();

function line(key: string): TypeLine | undefined {
  lines ??= indexTypeTable([
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
  return lines.get(key);
}

/**
 * Returns the schema of a built-in kind, or of options that every group has (such as `DeleteOptions`); `undefined` if no schema has that
 * name.
 */
export function builtinSchema(gvk: GroupVersionKind): ObjectSchema | undefined {
  const apiVersion = gvk.group === "meta.k8s.io" ? "meta/v1" : apiVersionOf(gvk);
  const schema = namedType(apiVersion, gvk.kind) ?? (gvk.version === "v1" ? namedType("meta/v1", gvk.kind) : undefined);
  return schema?.type === "object" ? schema : undefined;
}

/** Returns a type that is not a kind of its group: of `meta/v1`, or of the version endpoint. @throws {Error} if the name is unknown */
export function sharedType(apiVersion: "meta/v1" | "version", name: string): ObjectSchema {
  return required(apiVersion, name);
}

/** Returns the schema of `metadata`. */
export function objectMetaSchema(): ObjectSchema {
  return required("meta/v1", "ObjectMeta");
}

/** Returns the schema of a list's `metadata`. */
export function listMetaSchema(): ObjectSchema {
  return required("meta/v1", "ListMeta");
}

function required(apiVersion: string, name: string): ObjectSchema {
  const schema = namedType(apiVersion, name);
  if (schema?.type !== "object") throw new Error(`type table: no type ${apiVersion}.${name}`);
  return schema;
}

function namedType(apiVersion: string, name: string): TypeSchema | undefined {
  const key = `${apiVersion}.${name}`;
  const known = parsed.get(key);
  if (known) return known;
  const found = line(key);
  const schema = found ? parseTypeLine(found, resolve, withTypeMeta(name)) : listOfKind(apiVersion, name);
  if (schema) parsed.set(key, schema);
  return schema;
}

const typeMetaField = (name: string): FieldSchema => ({
  name,
  schema: scalar("string"),
  required: false,
  number: 0,
  pointer: false,
  alwaysPrinted: false,
  patchStrategies: [],
});
const typeMeta = [typeMetaField("apiVersion"), typeMetaField("kind")];

/** Types with metadata that are only part of a kind. */
const templates: ReadonlySet<string> = new Set([
  "PodTemplateSpec",
  "JobTemplateSpec",
  "PersistentVolumeClaimTemplate",
  "ResourceClaimTemplateSpec",
]);
const optionsPattern =
  /^(Create|Update|Patch|Delete|Get|List|Apply|Table)Options$|^Status$|^API(Group|GroupList|ResourceList|Versions)$|^Pod\w+Options$|^(Node|Service)ProxyOptions$/;

/** Kinds have `apiVersion` and `kind` in JSON; in protobuf, the envelope contains them. */
const withTypeMeta =
  (name: string) =>
  (fields: Map<string, FieldSchema>): ReadonlyMap<string, FieldSchema> => {
    const isKind = (fields.has("metadata") && !templates.has(name)) || optionsPattern.test(name);
    return isKind ? new Map([...typeMeta.map((field) => [field.name, field] as const), ...fields]) : fields;
  };

/** Derives `PodList` from `Pod`. */
function listOfKind(apiVersion: string, name: string): ObjectSchema | undefined {
  const item = name.endsWith("List") ? line(`${apiVersion}.${name.slice(0, -4)}`) : undefined;
  if (!item) return undefined;
  return parseTypeLine(
    { section: item.section, name, definition: `1 metadata:meta.ListMeta, 2 items!:[${item.name}]*@unstated` },
    resolve,
    withTypeMeta(name),
  );
}

function resolve(name: string, from: TypeSection): TypeSchema {
  if (isScalarName(name)) return scalar(name);
  switch (name) {
    case "RawExtension":
      return { ...untyped, name };
    case "JSON":
    case "FieldsV1":
      return { ...deduced, name };
    case "ExtraValue":
    case "Verbs":
      return wrappedStrings;
    case "JSONSchemaPropsOrBool":
      return { type: "either", name, object: resolve("JSONSchemaProps", from), other: scalar("bool") };
    case "JSONSchemaPropsOrArray":
      return {
        type: "either",
        name,
        object: resolve("JSONSchemaProps", from),
        other: listOf(resolve("JSONSchemaProps", from)),
      };
    case "JSONSchemaPropsOrStringArray":
      return { type: "either", name, object: resolve("JSONSchemaProps", from), other: wrappedStrings };
  }
  const [section, local] = name.includes(".") ? name.split(".", 2) : [from.apiVersion, name];
  const apiVersion = section === "meta" ? "meta/v1" : section === "core" ? "v1" : (section ?? "");
  const schema = namedType(apiVersion, local ?? "");
  if (!schema) throw new Error(`type table: no type ${name} for ${from.apiVersion}`);
  return schema;
}

const listOf = (items: TypeSchema): typeof wrappedStrings => ({ type: "list", items, topology: "atomic", keys: [] });
