import { isRecord, quote, setOwnMember, stringifyJson } from "@kubewright/apimachinery";
import { wrongType } from "../json/wrong-type.ts";
import { objectMetaSchema } from "../schema/builtin-schemas.ts";
import type { ObjectSchema, TypeSchema } from "../schema/type-schema.ts";
import { type Decoded, decodeBuiltin, firstProblems, TypeMismatchError } from "./decode-builtin.ts";

/**
 * Returns a copy of a custom resource without unknown fields, and without nulls where nulls are not permitted.
 * `apiVersion`, `kind` and `metadata` are kept, both in the resource and in embedded resources, and metadata is decoded
 * as ObjectMeta. Values of the wrong type are kept, so that validation can report them.
 *
 * @param repeated paths of repeated members
 * @param keepsNulls true to keep all nulls for validation
 * @throws {TypeMismatchError} if metadata does not match its type
 * @see apiextensions-apiserver pkg/apiserver/schema/pruning and objectmeta
 */
export function pruneCustom(
  object: Readonly<Record<string, unknown>>,
  schema: ObjectSchema,
  repeated: readonly string[] = [],
  keepsNulls = false,
): Decoded {
  const pruner = new Pruner(keepsNulls);
  const { metadata, ...rest } = object;
  const value = pruner.object(rest, schema, "");
  const meta = metadata === undefined ? undefined : readMetadata(metadata, "metadata");
  const texts = function* (): Generator<string> {
    for (const path of repeated) yield `duplicate field ${quote(path)}`;
    for (const text of meta?.problems ?? []) yield placedAt("metadata", text);
    for (const path of pruner.unknown) yield `unknown field "${path}"`;
    for (const { at, problems } of pruner.embedded) for (const text of problems) yield placedAt(at, text);
  };
  return { value: meta ? { ...value, metadata: meta.value } : value, problems: firstProblems(texts()) };
}

class Pruner {
  readonly unknown: string[] = [];
  /** Problems in the metadata of embedded resources, each without the path of the metadata. */
  readonly embedded: { readonly at: string; readonly problems: readonly string[] }[] = [];
  readonly #keepsNulls: boolean;

  constructor(keepsNulls: boolean) {
    this.#keepsNulls = keepsNulls;
  }

  object(value: Readonly<Record<string, unknown>>, schema: ObjectSchema, path: string): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    const sorted = Object.keys(value).sort();
    for (const name of sorted) {
      const member = value[name];
      const at = path === "" ? name : `${path}.${name}`;
      if (schema.isResource && (name === "apiVersion" || name === "kind")) {
        if (path !== "" && typeof member !== "string")
          throw new TypeMismatchError(`${at}: Invalid value: ${stringifyJson(member)}: must be a string`);
      } else if (schema.isResource && name === "metadata") {
        this.#embeddedMetadata(member, at, result);
        continue;
      }
      const field = schema.fields.get(name);
      const memberSchema = field?.schema ?? schema.rest;
      if (!memberSchema && !(schema.isResource && resourceMembers.has(name))) this.unknown.push(at);
      else if (member !== null || !memberSchema || this.#keepsNull(memberSchema))
        setOwnMember(result, name, memberSchema ? this.value(member, memberSchema, at) : member);
    }
    return inOrder(result, value);
  }

  value(value: unknown, schema: TypeSchema, path: string): unknown {
    if (Array.isArray(value))
      return value.map((item, i) => {
        if (schema.type === "list") return this.value(item, schema.items, `${path}[${i}]`);
        return isRecord(item) && schema.type === "scalar" ? this.#nothing(item, `${path}[${i}]`) : item;
      });
    if (!isRecord(value)) return value;
    if (schema.type === "object") return this.object(value, schema, path);
    if (schema.type === "list" || schema.type === "scalar") return this.#nothing(value, path);
    if (schema.type !== "map") return value;
    const result: Record<string, unknown> = {};
    for (const name of Object.keys(value).sort()) {
      const member = value[name];
      if (member !== null || this.#keepsNull(schema.values))
        setOwnMember(result, name, this.value(member, schema.values, `${path}.${name}`));
    }
    return inOrder(result, value);
  }

  #keepsNull(schema: TypeSchema): boolean {
    return this.#keepsNulls || schema.nullable === true;
  }

  /** Drops all fields of an object for which the schema lists no fields. */
  #nothing(value: Readonly<Record<string, unknown>>, path: string): Record<string, unknown> {
    for (const name of Object.keys(value).sort()) this.unknown.push(`${path}.${name}`);
    return {};
  }

  #embeddedMetadata(member: unknown, at: string, result: Record<string, unknown>): void {
    if (member === null) return;
    try {
      const { value, problems } = readMetadata(member, at);
      if (problems.length > 0) this.embedded.push({ at, problems });
      result.metadata = value;
    } catch (error) {
      if (!(error instanceof TypeMismatchError)) throw error;
      throw new TypeMismatchError(`${at}: Invalid value: ${stringifyJson(member)}: ${error.message}`);
    }
  }
}

const resourceMembers: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** Sorts the members of a decoded object in the order in which the client sent them. */
function inOrder(
  pruned: Readonly<Record<string, unknown>>,
  original: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(original)
      .filter((name) => Object.hasOwn(pruned, name))
      .map((name) => [name, pruned[name]]),
  );
}

/** Decodes metadata. The paths in its problems are relative to `path`. */
function readMetadata(metadata: unknown, path: string): Decoded {
  if (metadata === null) return { value: {}, problems: [] };
  if (!isRecord(metadata)) throw new TypeMismatchError(wrongType(path, "object", metadata));
  return decodeBuiltin(metadata, objectMetaSchema());
}

/** Adds the path of metadata to a problem in it. */
const placedAt = (path: string, problem: string): string => problem.replace('"', () => `"${path}.`);
