import {
  isDns1035Label,
  isDns1123Subdomain,
  isRecord,
  type Scope,
  type StructuralSchema,
} from "@kubewright/apimachinery";

/** A version in a CRD. */
export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean | undefined;
  readonly deprecationWarning?: string | undefined;
  readonly schema?: { readonly openAPIV3Schema?: StructuralSchema | undefined } | undefined;
  readonly subresources?: { readonly status?: object | undefined; readonly scale?: object | undefined } | undefined;
  readonly additionalPrinterColumns?: readonly object[] | undefined;
  readonly selectableFields?: readonly { readonly jsonPath: string }[] | undefined;
}

/** An `apiextensions.k8s.io/v1` CustomResourceDefinition. */
export interface Definition {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
  readonly spec: {
    readonly group: string;
    readonly scope: Scope;
    readonly names: {
      readonly plural: string;
      readonly kind: string;
      readonly singular?: string | undefined;
      readonly listKind?: string | undefined;
      readonly shortNames?: readonly string[] | undefined;
      readonly categories?: readonly string[] | undefined;
    };
    readonly versions: readonly DefinitionVersion[];
    readonly conversion?: { readonly strategy?: string | undefined } | undefined;
    readonly preserveUnknownFields?: boolean | undefined;
  };
  readonly status?: { readonly storedVersions?: readonly string[] | undefined } | undefined;
}

/**
 * Validates a parsed CRD.
 *
 * @throws {Error} if the CRD is not valid; the message contains the invalid field, its value and the remedy
 */
export function readDefinition(manifest: unknown): Definition {
  if (!isRecord(manifest)) throw new Error(`not a CustomResourceDefinition: ${shown(manifest)}`);
  const { apiVersion, kind, metadata, spec } = manifest;
  if (kind !== "CustomResourceDefinition") throw new Error(`kind: ${shown(kind)}: must be CustomResourceDefinition`);
  const name = isRecord(metadata) && typeof metadata.name === "string" ? metadata.name : "";
  const refuse: Refuse = (field, problem) => {
    throw new Error(`CustomResourceDefinition ${name || "without a name"}: ${field}: ${problem}`);
  };
  if (apiVersion === "apiextensions.k8s.io/v1beta1")
    refuse("apiVersion", `"${apiVersion}": convert to apiextensions.k8s.io/v1 first`);
  if (apiVersion !== "apiextensions.k8s.io/v1")
    refuse("apiVersion", `${shown(apiVersion)}: must be apiextensions.k8s.io/v1`);
  if (!name) refuse("metadata.name", "must be <plural>.<group>");
  if (!isRecord(spec)) refuse("spec", "must be an object");
  checkName(spec.group, "spec.group", isDns1123Subdomain, refuse);
  if (spec.scope !== "Namespaced" && spec.scope !== "Cluster")
    refuse("spec.scope", `${shown(spec.scope)}: must be Namespaced or Cluster`);
  const names = isRecord(spec.names) ? spec.names : {};
  checkName(names.kind, "spec.names.kind", (kind) => isDns1035Label(kind.toLowerCase()), refuse);
  checkName(names.plural, "spec.names.plural", isDns1035Label, refuse);
  if (!Array.isArray(spec.versions) || spec.versions.length === 0) refuse("spec.versions", "must contain a version");
  checkVersions(spec.versions as unknown[], refuse);
  const definition: unknown = plainCopy(manifest, 0, refuse);
  return definition as Definition; // the members have been checked above
}

const longest = 100;

/** Formats a value of any size for a message. */
function shown(value: unknown): string {
  try {
    return short(
      JSON.stringify(value, (_, member) => (typeof member === "bigint" ? Number(member) : member)) ?? "absent",
    );
  } catch {
    return "a value that is nested too deeply to show";
  }
}

const short = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);

/** Copies a value, and converts bigints to numbers. The API server also treats the numbers in a schema as doubles. */
function plainCopy(value: unknown, depth: number, refuse: Refuse): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth > 3 * maxDepth) refuse("spec", "is nested too deeply");
  if (Array.isArray(value)) return value.map((item) => plainCopy(item, depth + 1, refuse));
  const members = Object.entries(value).map(([name, member]) => [name, plainCopy(member, depth + 1, refuse)]);
  return Object.fromEntries(members);
}

/** Throws an error about a field. */
export type Refuse = (field: string, problem: string) => never;

function checkText(value: unknown, field: string, refuse: Refuse): asserts value is string {
  if (typeof value !== "string" || value === "") refuse(field, `${shown(value)}: must be non-empty text`);
}

/** Checks a name, because files and code are named after it. Only names that a server would accept are valid. */
function checkName(
  value: unknown,
  field: string,
  problemsOf: (name: string) => readonly string[],
  refuse: Refuse,
): asserts value is string {
  checkText(value, field, refuse);
  const [problem] = problemsOf(value);
  if (problem) refuse(field, `${shown(value)}: ${problem}`);
}

function checkVersions(versions: readonly unknown[], refuse: Refuse): void {
  const known = new Set<unknown>();
  for (const [i, version] of versions.entries()) {
    const at = `spec.versions[${i}]`;
    if (!isRecord(version)) refuse(at, "must be an object");
    checkName(version.name, `${at}.name`, isDns1035Label, refuse);
    if (known.has(version.name)) refuse(`${at}.name`, `${shown(version.name)}: must be unique`);
    known.add(version.name);
    const { schema } = version;
    if (isRecord(schema) && schema.openAPIV3Schema !== undefined)
      checkSchema(schema.openAPIV3Schema, `${at}.schema.openAPIV3Schema`, 0, refuse);
  }
}

const maxDepth = 200;

/** Checks that a schema has, at every level, the types that the rest of the code expects. */
export function checkSchema(schema: unknown, at: string, depth: number, refuse: Refuse): void {
  if (!isRecord(schema)) refuse(at, `${shown(schema)}: must be a schema`);
  if (depth > maxDepth) refuse(short(at), `schemas must not exceed ${maxDepth} levels`);
  const { properties, items, additionalProperties, required, description, $ref } = schema;
  const { enum: enumeration, allOf, anyOf, oneOf, not } = schema;
  if (description !== undefined && typeof description !== "string") refuse(`${at}.description`, "must be a string");
  if ($ref !== undefined && typeof $ref !== "string") refuse(`${at}.$ref`, "must be a string");
  if (properties !== undefined && !isRecord(properties)) refuse(`${at}.properties`, "must be an object");
  for (const [name, list] of Object.entries({ required, enum: enumeration, allOf, anyOf, oneOf }))
    if (list !== undefined && !Array.isArray(list)) refuse(`${at}.${name}`, "must be a list");
  for (const [name, branches] of Object.entries({ allOf, anyOf, oneOf, not: not === undefined ? [] : [not] }))
    if (Array.isArray(branches))
      for (const [i, branch] of branches.entries()) checkSchema(branch, `${at}.${name}[${i}]`, depth + 1, refuse);
  if (isRecord(properties))
    for (const [name, property] of Object.entries(properties))
      checkSchema(property, `${at}.properties[${name}]`, depth + 1, refuse);
  if (items !== undefined) checkSchema(items, `${at}.items`, depth + 1, refuse);
  if (additionalProperties !== undefined && typeof additionalProperties !== "boolean")
    checkSchema(additionalProperties, `${at}.additionalProperties`, depth + 1, refuse);
}
