import type {
  CustomResourceDefinitionManifest,
  CustomResourceDefinitionVersion,
} from "./definition/custom-resource-definition.ts";
import type { DefinedKind } from "./definition/define-kind.ts";
import { parseWithSchema } from "./definition/parse-object.ts";
import type { KubeObject } from "./object/object.ts";
import { isRecord } from "./value/json-value.ts";

/**
 * Returns the kind that an existing CustomResourceDefinition defines.
 *
 * @param version name of the version to use. Default: the stored version.
 * @throws {Error} if `crd` is not an `apiextensions.k8s.io/v1` CustomResourceDefinition or does not have the version, or if the version has
 *   no schema
 */
export function definedBy<T extends KubeObject>(crd: object, version?: string): DefinedKind<T> {
  const definition = checked(crd);
  const { group, names, scope, versions } = definition.spec;
  const found = versions.find(({ name, storage }) => (version === undefined ? storage : name === version));
  const known = versions.map(({ name }) => name).join(", ");
  if (!found) throw new Error(`${names.plural}.${group}: no version ${version ?? "is stored"}; it has ${known}`);
  const schema = found.schema?.openAPIV3Schema;
  if (!isRecord(schema)) throw new Error(`${names.plural}.${group}: version ${found.name} has no schema`);
  const type = { group, version: found.name, kind: names.kind, plural: names.plural, scope };
  return { ...type, crd: definition, parse: (value) => parseWithSchema<T>(value, type, schema) };
}

function checked(crd: object): CustomResourceDefinitionManifest {
  if (!isDefinition(crd)) throw new Error("the object is not a CustomResourceDefinition of apiextensions.k8s.io/v1");
  return crd;
}

function isDefinition(crd: object): crd is CustomResourceDefinitionManifest {
  if (!isRecord(crd) || crd.apiVersion !== "apiextensions.k8s.io/v1" || crd.kind !== "CustomResourceDefinition")
    return false;
  const { spec } = crd;
  if (!isRecord(spec) || typeof spec.group !== "string" || !isRecord(spec.names)) return false;
  const { kind, plural } = spec.names;
  return typeof kind === "string" && typeof plural === "string" && isVersions(spec.versions);
}

const isVersions = (versions: unknown): versions is CustomResourceDefinitionVersion[] =>
  Array.isArray(versions) && versions.every((version) => isRecord(version) && typeof version.name === "string");
