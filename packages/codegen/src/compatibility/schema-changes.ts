import { isRecord, ownMember, type StructuralSchema } from "@kubewright/apimachinery";
import { narrowed } from "./bounds.ts";
import { type Finding, finding } from "./finding.ts";

/** What breaks when objects of one schema are read by another. Fields that are new, and bounds that are wider, do not. */
export function schemaChanges(
  previous: StructuralSchema,
  next: StructuralSchema,
  version: string,
  path = "",
): Finding[] {
  const at = `${version} ${path || "(object)"}`;
  const retyped = typeChange(previous, next, at);
  // What is of another type has no fields in common.
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
  return finding(at, `was ${was}, is ${is}: objects that have it are refused`);
}

function openness(previous: StructuralSchema, next: StructuralSchema, at: string): Finding[] {
  const findings: Finding[] = [];
  const isAny = isOpen(next) || next.additionalProperties === true;
  if (previous.nullable && !next.nullable)
    findings.push(finding(at, "is not nullable any more: objects that have null are refused"));
  if (isOpen(previous) && !isAny && !isRecord(next.additionalProperties))
    findings.push(finding(at, "no longer preserves unknown fields: they are dropped from objects that have them"));
  else if (previous.additionalProperties && !next.additionalProperties && !isAny)
    findings.push(finding(at, "no longer has additional properties: they are dropped from objects that have them"));
  else if (
    (previous.additionalProperties === true || isOpen(previous)) &&
    isRecord(next.additionalProperties) &&
    !isOpen(next)
  )
    findings.push(
      finding(at, "additional properties had any value and have a schema now: objects with others are refused"),
    );
  if (next["x-kubernetes-embedded-resource"] && !previous["x-kubernetes-embedded-resource"])
    findings.push(
      finding(at, "is an embedded resource now: objects without apiVersion, kind and metadata in it are refused"),
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
        finding(at, `${name} was ${was}, is ${is}: appliers that share it merge otherwise, duplicates may be refused`),
      );
  }
  const keys = (schema: StructuralSchema): string =>
    [...(schema["x-kubernetes-list-map-keys"] ?? [])].sort().join(", ");
  const isMap = previous["x-kubernetes-list-type"] === "map" && next["x-kubernetes-list-type"] === "map";
  if (isMap && keys(previous) !== keys(next))
    findings.push(
      finding(at, `keys of the list were ${keys(previous)}, are ${keys(next)}: items are matched otherwise`),
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
    return [finding(at, "is required and has no default any more: objects without it are refused")];
  });
}

function members(previous: StructuralSchema, next: StructuralSchema, version: string, path: string): Finding[] {
  const below = (name: string): string => (path ? `${path}.${name}` : name);
  const additional = isRecord(next.additionalProperties) ? (next.additionalProperties as StructuralSchema) : undefined;
  const isAny = isOpen(next) || next.additionalProperties === true;
  const findings = Object.entries(previous.properties ?? {}).flatMap(([name, was]) => {
    const is = ownMember(next.properties, name) ?? additional;
    if (is) return schemaChanges(was, is, version, below(name));
    return isAny ? [] : [finding(`${version} ${below(name)}`, "is removed: it is dropped from objects that have it")];
  });
  if (previous.items && next.items) findings.push(...schemaChanges(previous.items, next.items, version, `${path}[]`));
  if (isRecord(previous.additionalProperties) && additional)
    findings.push(...schemaChanges(previous.additionalProperties as StructuralSchema, additional, version, below("*")));
  return findings;
}
