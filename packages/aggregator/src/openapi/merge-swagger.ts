import { isRecord, jsonEqual, setOwnMember } from "@kubewright/apimachinery";
import type { Swagger } from "./swagger-part.ts";

type Json = Readonly<Record<string, unknown>>;

/**
 * Merges the paths of other documents into a document. Existing paths take precedence. If a definition or parameter in
 * another document has the same name as a different one, it is renamed, for example to `Flunder_v2`.
 *
 * @see kube-openapi pkg/aggregator MergeSpecsIgnorePathConflictRenamingDefinitionsAndParameters
 */
export function mergeSwagger(document: Json, others: readonly Swagger[]): Json {
  if (others.length === 0) return document;
  const members = (name: string): Record<string, unknown> => {
    const value = document[name];
    return isRecord(value) ? { ...value } : {};
  };
  const [paths, definitions, parameters] = [members("paths"), members("definitions"), members("parameters")];
  for (const other of others) {
    const renamed = new Map([
      ...namesFor(other.definitions, definitions, "#/definitions/"),
      ...namesFor(other.parameters, parameters, "#/parameters/"),
    ]);
    const add = (from: Json, into: Record<string, unknown>, prefix: string): void => {
      for (const [name, value] of Object.entries(from)) {
        const known = (renamed.get(prefix + name) ?? prefix + name).slice(prefix.length);
        if (!Object.hasOwn(into, known)) setOwnMember(into, known, withReferences(value, renamed));
      }
    };
    add(other.paths, paths, "");
    add(other.definitions, definitions, "#/definitions/");
    add(other.parameters, parameters, "#/parameters/");
  }
  return { ...document, paths, definitions, parameters };
}

/** Yields the old and the new reference for each member whose name is already used for different content. */
function* namesFor(other: Json, known: Json, prefix: string): Generator<[string, string]> {
  for (const [name, value] of Object.entries(other)) {
    if (!Object.hasOwn(known, name) || jsonEqual(withoutKinds(known[name]), withoutKinds(value))) continue;
    let count = 2;
    while (Object.hasOwn(known, `${name}_v${count}`) || Object.hasOwn(other, `${name}_v${count}`)) count++;
    yield [prefix + name, `${prefix}${name}_v${count}`];
  }
}

/**
 * Returns a model without `x-kubernetes-group-version-kind`. Only this list may differ between models that two
 * servers have in common.
 */
function withoutKinds(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { "x-kubernetes-group-version-kind": _kinds, ...rest } = value;
  return rest;
}

function withReferences(value: unknown, renamed: ReadonlyMap<string, string>): unknown {
  if (renamed.size === 0) return value;
  if (Array.isArray(value)) return value.map((item) => withReferences(item, renamed));
  if (!isRecord(value)) return value;
  const next: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value))
    setOwnMember(
      next,
      name,
      name === "$ref" && typeof member === "string" ? (renamed.get(member) ?? member) : withReferences(member, renamed),
    );
  return next;
}
