import { builtinSchema, type FieldSchema, type ObjectSchema, type TypeSchema } from "@kubewright/codec/schema";
import { isIntOrString, type SourceSchema } from "../source/served-kind.ts";

/**
 * Types of `kubewright/kinds` that CRDs contain copies of, keyed by group. If a schema fits several of them, the first
 * one is used.
 */
const groups: Readonly<Record<string, readonly string[]>> = {
  "": [
    "PodTemplateSpec",
    "PodSpec",
    "Container",
    "Volume",
    "SecurityContext",
    "PodSecurityContext",
    "Probe",
    "EnvVar",
    "EnvVarSource",
    "EnvFromSource",
    "ContainerPort",
    "VolumeMount",
    "VolumeDevice",
    "Lifecycle",
    "LifecycleHandler",
    "HTTPGetAction",
    "ResourceRequirements",
    "SeccompProfile",
    "Affinity",
    "NodeAffinity",
    "PodAntiAffinity",
    "PodAffinity",
    "PodAffinityTerm",
    "NodeSelectorTerm",
    "Toleration",
    "Taint",
    "TopologySpreadConstraint",
    "HostAlias",
    "PodDNSConfig",
    "PersistentVolumeClaimSpec",
    "ObjectReference",
    "TypedObjectReference",
    "SecretKeySelector",
    "ConfigMapKeySelector",
    "ServicePort",
  ],
  "meta.k8s.io": ["Condition", "LabelSelector", "LabelSelectorRequirement"],
  "rbac.authorization.k8s.io": ["PolicyRule"],
  "admissionregistration.k8s.io": ["MatchResources"],
};

/** Types that have the fields of another type. They are used only for members whose name contains this text. */
const hints: Readonly<Record<string, RegExp>> = {
  PodAntiAffinity: /anti/i,
  SecretKeySelector: /secret/i,
  ConfigMapKeySelector: /config_?map/i,
  LabelSelectorRequirement: /expressions?$/i,
};

/**
 * Fields that the types in `kubewright/kinds` do not have yet. A schema that contains one of them does not match any
 * type.
 */
export const untyped: ReadonlySet<string> = new Set([
  "ClusterTrustBundleProjection.user",
  "ConfigMapProjection.user",
  "ConfigMapVolumeSource.defaultUser",
  "DownwardAPIVolumeFile.user",
  "DownwardAPIVolumeSource.defaultUser",
  "EmptyDirVolumeSource.mode",
  "GRPCAction.mode",
  "KeyToPath.user",
  "PodCertificateProjection.user",
  "PodSpec.evictionResponders",
  "ProjectedVolumeSource.defaultUser",
  "SecretVolumeSource.defaultUser",
  "ServiceAccountTokenProjection.user",
  "VolumeMount.bindMountOptions",
  "HTTPGetAction.protocol",
]);

interface KnownType {
  readonly name: string;
  readonly schema: ObjectSchema;
}

let types: readonly KnownType[] | undefined;

/** Returns the types in `kubewright/kinds` that generated code can import, with their schemas. */
export function knownTypes(): readonly KnownType[] {
  types ??= Object.entries(groups).flatMap(([group, names]) =>
    names.map((name) => {
      const schema = builtinSchema({ group, version: "v1", kind: name });
      if (!schema) throw new Error(`there is no type ${name} in the group ${JSON.stringify(group)}`);
      return { name, schema };
    }),
  );
  return types;
}

/**
 * Returns the name of the type in `kubewright/kinds` that matches a schema, or undefined if there is none. A type
 * matches if the schema has the same fields as the type in this or an earlier version of Kubernetes. The type may have
 * additional fields only if they are newer.
 *
 * @param member name of the field that has the schema
 */
export function knownType(schema: SourceSchema, member: string): string | undefined {
  const names = Object.keys(schema.properties ?? {});
  if (names.length < 2) return undefined;
  return knownTypes().find(
    (type) =>
      names.every((name) => type.schema.fields.has(name)) &&
      (hints[type.name]?.test(member) ?? true) &&
      isCopy(schema, type),
  )?.name;
}

function isCopy(schema: SourceSchema, { schema: type }: KnownType): boolean {
  const { metadata } = schema.properties ?? {};
  // The server drops the fields of metadata that a schema does not list.
  const isPruned = metadata && !metadata.properties && !metadata["x-kubernetes-preserve-unknown-fields"];
  return !isPruned && fitsObject(schema, type, 0);
}

function fits(schema: SourceSchema, type: TypeSchema): boolean {
  if (schema.nullable) return false;
  switch (type.type) {
    case "scalar":
      return fitsScalar(schema, type.scalar);
    case "any":
      return schema["x-kubernetes-preserve-unknown-fields"] === true;
    case "map": {
      const { additionalProperties: values } = schema;
      return schema.type === "object" && typeof values === "object" && !schema.properties && fits(values, type.values);
    }
    case "list":
      return schema.type === "array" && schema.items !== undefined && fits(schema.items, type.items);
    case "object":
      return fitsObject(schema, type, 1);
    case "either":
      return false;
  }
}

function fitsScalar(schema: SourceSchema, name: string): boolean {
  if (isIntOrString(schema)) return name === "IntOrString" || name === "Quantity";
  // The types of kubewright/kinds do not limit texts to certain values, except for the status of conditions.
  if (schema.enum)
    return schema.enum.length === 3 && ["True", "False", "Unknown"].every((it) => schema.enum?.includes(it));
  switch (name) {
    case "bool":
      return schema.type === "boolean";
    case "double":
      return schema.type === "number";
    case "int32":
    case "int64":
    case "uint8":
      return schema.type === "integer";
    case "IntOrString":
      return false;
    default:
      return schema.type === "string";
  }
}

/** @param spare number of newer fields that the schema may lack even if the type has few fields */
function fitsObject(schema: SourceSchema, type: ObjectSchema, spare: number): boolean {
  const { properties = {}, required = [] } = schema;
  if (schema.type !== "object" || schema["x-kubernetes-embedded-resource"]) return false;
  const names = Object.keys(properties);
  const isSubset = names.every((name) => {
    const field = type.fields.get(name);
    return (
      !untyped.has(`${type.name}.${name}`) &&
      field !== undefined &&
      properties[name] !== undefined &&
      fits(properties[name], field.schema)
    );
  });
  if (!isSubset) return false;
  if (type.name === "ObjectMeta") return true; // of a template, in which all fields are optional
  if (schema["x-kubernetes-preserve-unknown-fields"] || names.length === 0) return false;
  const fields = [...type.fields.values()];
  const absent = fields.filter(({ name }) => !Object.hasOwn(properties, name));
  if (absent.length > Math.max(spare, Math.floor(fields.length / 5))) return false;
  const present = fields.filter(({ name }) => Object.hasOwn(properties, name));
  if (absent.some((field) => present.some((other) => other.inlinedIn === field.inlinedIn && age(other) > age(field))))
    return false;
  return fields.every(({ name, required: isRequired }) =>
    isRequired ? required.includes(name) : !required.includes(name) || properties[name]?.default !== undefined,
  );
}

/** Returns a number that is higher for newer fields of the same type. */
const age = ({ name, number, inlinedIn }: FieldSchema): number => inlinedIn?.fields.get(name)?.number ?? number;
