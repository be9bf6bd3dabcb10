import { isRecord, type StructuralSchema } from "@kubewright/apimachinery";
import { type Definition, type DefinitionVersion, readDefinition } from "../source/definition.ts";
import { code, inCell, prose } from "./markdown.ts";

/**
 * Returns a kind's reference page in Markdown, with a table of all fields for each served version. Each field has a
 * stable anchor based on its path, such as `#site-v1-spec.image`.
 *
 * @throws {Error} if the argument is not a CRD
 */
export function referenceText(crd: object): string {
  const definition = readDefinition(crd);
  const { group, names, scope, versions } = definition.spec;
  const also = [
    code(`${names.plural}.${group}`),
    scope === "Namespaced" ? "namespaced" : "cluster-scoped",
    ...(names.shortNames?.length ? [`short: ${names.shortNames.map(code).join(", ")}`] : []),
    ...(names.categories?.length ? [`in: ${names.categories.map(code).join(", ")}`] : []),
  ];
  const served = versions.filter((version) => version.served).sort((a, b) => Number(b.storage) - Number(a.storage));
  const parts = served.map((version) => versionText(definition, version));
  return `# ${names.kind}\n\n${also.join(", ")}\n\n${parts.join("\n")}`;
}

function versionText({ spec }: Definition, version: DefinitionVersion): string {
  const { group, names } = spec;
  const schema = version.schema?.openAPIV3Schema ?? {};
  const deprecation = version.deprecated
    ? `Deprecated${version.deprecationWarning ? `: ${prose(version.deprecationWarning)}` : "."}\n\n`
    : "";
  const described = schema.description ? `${prose(schema.description)}\n\n` : "";
  const prefix = `${names.kind.toLowerCase()}-${version.name}`;
  const { apiVersion: _a, kind: _k, metadata: _m, ...properties } = schema.properties ?? {};
  const rows = [...rowsOf({ ...schema, properties }, { shown: "", anchor: prefix })];
  const rules = ruleTexts(schema).map((rule) => `- ${rule}\n`);
  const head = "| Field | Type | Required | Default | Description |\n|---|---|---|---|---|\n";
  return `## ${group}/${version.name}\n\n${deprecation}${described}${rules.length > 0 ? `${rules.join("")}\n` : ""}${head}${rows.join("")}`;
}

/** Path of a field: one for display, and one for its anchor. */
interface Place {
  readonly shown: string;
  readonly anchor: string;
}

function* rowsOf(schema: StructuralSchema, at: Place): Generator<string> {
  const { properties = {}, items, additionalProperties } = schema;
  const required = new Set(schema.required);
  for (const [name, property] of Object.entries(properties)) {
    const shown = at.shown ? `${at.shown}.${name}` : name;
    const place = { shown, anchor: `${at.anchor}${at.shown ? "." : "-"}${encoded(name)}` };
    yield row(property, place, required.has(name));
    yield* rowsOf(property, place);
  }
  if (items) yield* rowsOf(items, { shown: `${at.shown}[]`, anchor: `${at.anchor}--` });
  if (isRecord(additionalProperties))
    yield* rowsOf(additionalProperties as StructuralSchema, { shown: `${at.shown}.*`, anchor: `${at.anchor}.-x` });
}

function row(schema: StructuralSchema, at: Place, isRequired: boolean): string {
  const { default: value, description = "" } = schema;
  const cells = [
    `<a id="${at.anchor}"></a>${code(at.shown)}`,
    code(typeText(schema)),
    isRequired ? "yes" : "",
    value === undefined ? "" : code(JSON.stringify(value)),
    [prose(description), ...limits(schema), ...ruleTexts(schema)].filter(Boolean).join("\n\n"),
  ];
  return `| ${cells.map(inCell).join(" | ")} |\n`;
}

/** Encodes all characters except letters, digits and underscores, so that anchors remain unique. */
const encoded = (name: string): string =>
  name.replace(/[^A-Za-z0-9_]/gu, (letter) => `-${(letter.codePointAt(0) ?? 0).toString(16)}-`);

function typeText(schema: StructuralSchema): string {
  const type = notNull(schema);
  return schema.nullable ? `${type} | null` : type;
}

const grouped = (type: string): string => (type.includes(" | ") ? `(${type})` : type);

function notNull({ type, enum: values, items, additionalProperties, ...more }: StructuralSchema): string {
  if (values) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (more["x-kubernetes-int-or-string"]) return "integer | string";
  if (type === "array") return `[]${grouped(items ? typeText(items) : "any")}`;
  if (type === "object" && isRecord(additionalProperties))
    return `map[string]${grouped(typeText(additionalProperties as StructuralSchema))}`;
  const name = type ?? "any";
  return more.format ? `${name} (${more.format})` : name;
}

function limits(schema: StructuralSchema): string[] {
  const names = [
    "minimum",
    "maximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
  ] as const;
  const isExcluded = { minimum: schema.exclusiveMinimum, maximum: schema.exclusiveMaximum } as Record<string, unknown>;
  const lines = names
    .filter((name) => schema[name] !== undefined)
    .map((name) => code(`${name}: ${schema[name]}${isExcluded[name] ? " (excluded)" : ""}`));
  return lines.length > 0 ? [lines.join(", ")] : [];
}

const ruleTexts = (schema: StructuralSchema): string[] =>
  (schema["x-kubernetes-validations"] ?? []).map(
    ({ rule, message }) => `${code(rule)}${message ? `: ${prose(message)}` : ""}`,
  );
