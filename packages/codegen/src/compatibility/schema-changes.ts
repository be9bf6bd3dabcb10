import { isRecord, ownMember, type StructuralSchema } from "@kubewright/apimachinery";
import { narrowed } from "./bounds.ts";
import { type Finding, finding } from "./finding.ts";

/** Returns those changes to a schema that break existing objects. New fields and wider bounds are compatible. */
export function schemaChanges(
  previous: StructuralSchema,
  next: StructuralSchema,
  version: string,
  path = "",
): Finding[] {
  const at = `${version} ${path || "(object)"}`;
  const retyped = typeChange(previous, next, at);
  // Schemas of different types have no fields that could be compared.
  if (retyped) return [retyped];
  return [
    ...openness(previous, next, at),
    ...listAndMap(previous, next, at),
    ...narrowed(previous, next, at),
    ...newlyRequired(previous, next, version, path),
    ...members(previous, next, version, path),
  ];
}

const isOpen = (schema: StructuralSchema): boolean => schema["x-kubernetes-preserve-unknown-fields"] === true;

function typeName(schema: StructuralSchema): string {
  return schema["x-kubernetes-int-or-string"] ? "int-or-string" : (schema.type ?? "anything");
}

function typeChange(previous: StructuralSchema, next: StructuralSchema, at: string): Finding | undefined {
  const [was, is] = [typeName(previous), typeName(next)];
  if (was === is || is === "anything") return undefined;
  if (was === "integer" && (is === "number" || is === "int-or-string")) return undefined;
  if (was === "string" && is === "int-or-string") return undefined;
  return finding(at, `was ${was}, is ${is}: objects that contain it are refused`);
}

function openness(previous: StructuralSchema, next: StructuralSchema, at: string): Finding[] {
  const findings: Finding[] = [];
  const isAny = isOpen(next) || next.additionalProperties === true;
  if (previous.nullable && !next.nullable)
    findings.push(finding(at, "is no longer nullable: objects with null are refused"));
  if (isOpen(previous) && !isAny && !isRecord(next.additionalProperties))
    findings.push(finding(at, "no longer preserves unknown fields: the server drops them from objects"));
  else if (previous.additionalProperties && !next.additionalProperties && !isAny)
    findings.push(finding(at, "no longer allows additional properties: the server drops them from objects"));
  else if (
    (previous.additionalProperties === true || isOpen(previous)) &&
    isRecord(next.additionalProperties) &&
    !isOpen(next)
  )
    findings.push(
      finding(
        at,
        "additional properties could have any value and now have a schema: objects that violate it are refused",
      ),
    );
  if (next["x-kubernetes-embedded-resource"] && !previous["x-kubernetes-embedded-resource"])
    findings.push(
      finding(
        at,
        "is an embedded resource now: objects are refused if the resource embedded in them has no apiVersion, kind or metadata",
      ),
    );
  return findings;
}

function listAndMap(previous: StructuralSchema, next: StructuralSchema, at: string): Finding[] {
  const findings: Finding[] = [];
  for (const [name, standard] of [
    ["x-kubernetes-list-type", "atomic"],
    ["x-kubernetes-map-type", "granular"],
  ] as const) {
    const [was, is] = [previous[name] ?? standard, next[name] ?? standard];
    if (was !== is)
      findings.push(
        finding(
          at,
          `${name} was ${was}, is ${is}: server-side apply merges it differently, and duplicates may be refused`,
        ),
      );
  }
  const keys = (schema: StructuralSchema): string =>
    [...(schema["x-kubernetes-list-map-keys"] ?? [])].sort().join(", ");
  const isMap = previous["x-kubernetes-list-type"] === "map" && next["x-kubernetes-list-type"] === "map";
  if (isMap && keys(previous) !== keys(next))
    findings.push(
      finding(at, `keys of the list were ${keys(previous)}, are ${keys(next)}: items are matched differently`),
    );
  return findings;
}

function newlyRequired(previous: StructuralSchema, next: StructuralSchema, version: string, path: string): Finding[] {
  const isFilledIn = (schema: StructuralSchema, name: string): boolean =>
    ownMember(schema.properties, name)?.default !== undefined;
  return (next.required ?? []).flatMap((name) => {
    const at = `${version} ${path ? `${path}.${name}` : name}`;
    if (isFilledIn(next, name)) return [];
    if (!previous.required?.includes(name)) return [finding(at, "is required now: objects without it are refused")];
    if (!isFilledIn(previous, name)) return [];
    return [finding(at, "is required and no longer has a default: objects without it are refused")];
  });
}

/** Fields that the server keeps in every object, even if the schema does not list them. The same is true of all fields of `metadata`. */
const objectFields: readonly string[] = ["apiVersion", "kind", "metadata"];

function members(previous: StructuralSchema, next: StructuralSchema, version: string, path: string): Finding[] {
  const below = (name: string): string => (path ? `${path}.${name}` : name);
  const additional = isRecord(next.additionalProperties) ? (next.additionalProperties as StructuralSchema) : undefined;
  const isAny = isOpen(next) || next.additionalProperties === true;
  const isObject = path === "" || next["x-kubernetes-embedded-resource"] === true;
  const findings = Object.entries(previous.properties ?? {}).flatMap(([name, was]) => {
    const is = ownMember(next.properties, name) ?? additional;
    if (is) return schemaChanges(was, is, version, below(name));
    if (isAny || path === "metadata" || (isObject && objectFields.includes(name))) return [];
    return [finding(`${version} ${below(name)}`, "is removed: the server drops it from objects")];
  });
  if (previous.items && next.items) findings.push(...schemaChanges(previous.items, next.items, version, `${path}[]`));
  if (isRecord(previous.additionalProperties) && additional)
    findings.push(...schemaChanges(previous.additionalProperties as StructuralSchema, additional, version, below("*")));
  return findings;
}
