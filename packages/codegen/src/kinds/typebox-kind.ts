import { jsonEqual, pluralOf, type StructuralSchema } from "@kubewright/apimachinery";
import type { Definition, DefinitionVersion } from "../source/definition.ts";
import { bracketed, keyText, literal } from "../text/literal.ts";
import { typeboxSchema } from "./typebox-schema.ts";

/** An expression that defines a kind with a single version, and the library names that the expression uses. */
export interface KindExpression {
  readonly text: string;
  readonly uses: readonly string[];
}

/**
 * Returns an expression with a `defineKind` for one version. If the CRD contains more than `defineKind` supports, the expression is wrapped
 * in `withDefinition`.
 */
export function kindExpression(definition: Definition, version: DefinitionVersion, isOnly: boolean): KindExpression {
  const schema = version.schema?.openAPIV3Schema;
  if (!schema)
    throw new Error(`${definition.metadata.name}: version ${version.name} has no schema; set schema.openAPIV3Schema`);
  const hasStatus = version.subresources?.status !== undefined;
  const amendment = amendmentText(definition, version, schema, hasStatus, isOnly);
  const indent = amendment ? "  " : "";
  const defined = `defineKind(${bracketed("{", memberTexts(definition, version, schema, hasStatus, indent), "}", indent)})`;
  if (!amendment) return { text: defined, uses: ["defineKind"] };
  return { text: `withDefinition(\n  ${defined},\n  ${amendment},\n)`, uses: ["defineKind", "withDefinition"] };
}

function memberTexts(
  { metadata, spec }: Definition,
  version: DefinitionVersion,
  schema: StructuralSchema,
  hasStatus: boolean,
  indent: string,
): string[] {
  const { kind, plural, singular, shortNames, categories } = spec.names;
  const { status, ...scale } = version.subresources ?? {};
  const plain = {
    group: spec.group,
    version: version.name,
    kind,
    plural: plural === pluralOf(kind) ? undefined : plural,
    singular: singular === undefined || singular === kind.toLowerCase() ? undefined : singular,
    scope: spec.scope,
    shortNames,
    categories,
    labels: metadata.labels,
    annotations: metadata.annotations,
    description: schema.description || undefined,
    preserveUnknownFields: schema["x-kubernetes-preserve-unknown-fields"] || undefined,
    columns: version.additionalPrinterColumns,
    selectableFields: version.selectableFields?.map(({ jsonPath }) => jsonPath),
    ...scale,
    specRequired: schema.properties?.spec && !schema.required?.includes("spec") ? false : undefined,
  };
  const own = { spec: schema.properties?.spec, status: hasStatus ? schema.properties?.status : undefined };
  return [
    ...Object.entries(plain)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${keyText(name)}: ${literal(value, `${indent}  `)}`),
    ...Object.entries(own).flatMap(([name, part]) =>
      part ? [`${name}: ${typeboxSchema(part, `${indent}  `).text}`] : [],
    ),
  ];
}

/** Returns the text for the parts of a CRD that `defineKind` does not support, or undefined if there are none. */
function amendmentText(
  { spec }: Definition,
  version: DefinitionVersion,
  schema: StructuralSchema,
  hasStatus: boolean,
  isOnly: boolean,
): string | undefined {
  const { listKind, kind } = spec.names;
  const { spec: specSchema, status, ...others } = schema.properties ?? {};
  const ownStatus = hasStatus ? status : undefined;
  const names = listKind !== undefined && listKind !== `${kind}List` ? { listKind } : undefined;
  const more = {
    served: version.served ? undefined : false,
    storage: version.storage || !isOnly ? undefined : false,
    deprecated: version.deprecated,
    deprecationWarning: version.deprecationWarning,
    subresources: isEmpty(version.subresources) || (hasStatus && !status) ? version.subresources : undefined,
  };
  const hasMore = Object.values(more).some((value) => value !== undefined);
  const isWhole = jsonEqual(definedSchema(schema, specSchema, ownStatus), schema);
  const rest = { ...others, ...(status && !ownStatus ? { status } : {}) };
  const whole = isWhole ? undefined : wholeText(schema, rest);
  const parts = [
    ...(whole ? [`schema: ${whole}`] : []),
    ...(hasMore ? [`version: ${literal(more, "    ")}`] : []),
    ...(names ? [`names: ${literal(names, "    ")}`] : []),
  ];
  return parts.length > 0 ? bracketed("{", parts, "}", "  ") : undefined;
}

const isEmpty = (value: object | undefined): boolean => value !== undefined && Object.keys(value).length === 0;

/** Returns the object schema that `defineKind` creates. */
function definedSchema(
  { description, required = [], ...schema }: StructuralSchema,
  spec: StructuralSchema | undefined,
  status: StructuralSchema | undefined,
): StructuralSchema {
  const isSpecRequired = spec !== undefined && spec.default === undefined && required.includes("spec");
  return {
    type: "object",
    ...(description ? { description } : {}),
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      ...(spec ? { spec } : {}),
      ...(status ? { status } : {}),
    },
    ...(isSpecRequired ? { required: ["spec"] } : {}),
    ...(schema["x-kubernetes-preserve-unknown-fields"] ? { "x-kubernetes-preserve-unknown-fields": true } : {}),
  };
}

/** Returns the text for the object schema without `spec` and `status`, which are passed to `defineKind` separately. */
function wholeText(schema: StructuralSchema, properties: Record<string, StructuralSchema>): string {
  const { properties: _, ...rest } = schema;
  // A schema without properties does not specify members, so the type must allow any.
  if (Object.keys(properties).length === 0) return `Type.Unsafe<unknown>(${literal(rest, "    ")})`;
  return typeboxSchema({ ...rest, properties }, "    ").text;
}
