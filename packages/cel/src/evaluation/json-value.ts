import { isRecord, ownMember, parseFormatDuration } from "@kubewright/apimachinery";
import { timestampOf } from "../library/conversion.ts";
import { spend } from "../text/cost-meter.ts";
import { formatRfc3339, formatSeconds } from "../text/go-text.ts";
import { CelList, CelMap, CelRecord, CelStruct } from "../values/collections.ts";
import type { DeclType } from "../values/decl-type.ts";
import {
  CelBytes,
  CelDuration,
  CelError,
  CelNode,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
  typeOf,
} from "../values/value.ts";

/** Converts a JSON value to the declared type or, if no type is declared, to the type that matches the JSON. */
export function fromJson(value: unknown, type?: DeclType): CelValue {
  if (value === null || value === undefined) return null;
  if (type && type.type.kind !== "dyn") return typed(value, type);
  if (typeof value === "boolean" || typeof value === "string" || typeof value === "bigint") return value;
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return new CelList({ length: value.length, make: (i) => fromJson(value[i]) });
  return isRecord(value) ? new CelRecord(value, (member) => fromJson(member)) : new CelError("unsupported JSON value");
}

function typed(value: unknown, type: DeclType): CelValue {
  const { kind } = type.type;
  const mismatch = (expected: string): CelError => new CelError(`invalid data, expected ${expected} to match schema`);
  switch (kind) {
    case "int":
      if (typeof value === "number")
        return Number.isInteger(value) ? BigInt(value) : new CelError("invalid data, got double but expected int");
      return typeof value === "bigint" ? value : mismatch("an integer");
    case "double":
      return typeof value === "number" || typeof value === "bigint" ? Number(value) : mismatch("a number");
    case "bool":
      return typeof value === "boolean" ? value : mismatch("a boolean");
    case "string":
      return typeof value === "string" ? value : mismatch("a string");
    case "bytes":
      return typeof value === "string" ? new CelBytes(Buffer.from(value, "base64")) : mismatch("a string");
    case "timestamp":
      return timeOf(value);
    case "duration": {
      const ns = typeof value === "string" ? parseFormatDuration(value) : undefined;
      return ns === undefined ? new CelError(`Invalid duration ${String(value)}`) : new CelDuration(ns);
    }
    case "list":
      return Array.isArray(value) ? listOf(value, type) : mismatch("an array");
    case "map":
      return isRecord(value) ? new CelRecord(value, (member) => fromJson(member, type.elem)) : mismatch("a map");
    case "struct":
      return isRecord(value) ? structOf(value, type) : mismatch("a map");
    default:
      return fromJson(value);
  }
}

function timeOf(value: unknown): CelValue {
  if (typeof value !== "string") return new CelError("invalid data, expected a string to match schema");
  const text = /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : value;
  return timestampOf(text) ?? new CelError(`Invalid date-time ${value}`);
}

function listOf(items: readonly unknown[], { elem, topology }: DeclType): CelList {
  const source = { length: items.length, make: (i: number) => fromJson(items[i], elem) };
  if (topology?.type === "set") return new CelList(source, { type: "set" });
  if (topology?.type !== "map") return new CelList(source);
  const { keys } = topology;
  const keyOf = (item: CelValue): string =>
    keys
      .map((key) => (item instanceof CelStruct || item instanceof CelMap ? textOf(item.find(key)) : ""))
      .join("\u0000");
  return new CelList(source, { type: "map", keyOf });
}

const textOf = (value: CelValue | undefined): string => (value === undefined ? "" : `${typeof value}:${String(value)}`);

/**
 * Creates an object whose fields are read from JSON on demand. A field with the value null counts as absent, except in the number of
 * fields. @see apiserver pkg/cel/common unstructuredMap Find
 */
function structOf(record: Readonly<Record<string, unknown>>, { fields = new Map(), type }: DeclType): CelStruct {
  const made = new Map<string, CelValue>();
  const find = (name: string): CelValue | undefined => {
    const known = made.get(name);
    if (known !== undefined) return known;
    const field = fields.get(name) ?? fields.get(`__${name}__`);
    const member = field && ownMember(record, field.jsonName);
    if (!field || member === undefined || member === null) return undefined;
    const value = fromJson(member, field.type);
    made.set(name, value);
    return value;
  };
  const present = (): string[] =>
    [...fields.keys()].filter((name) => Object.hasOwn(record, fields.get(name)?.jsonName ?? name));
  return new CelStruct("name" in type ? type.name : "object", { find, fields: present }, type);
}

/** Work needed to convert a JSON value and its text, measured in comparisons. */
const workOfValue = 10;
const charactersPerWork = 2;

/** Converts a value to JSON. @throws {TypeError} for values that JSON does not support */
export function toJson(value: CelValue): unknown {
  spend(typeof value === "string" ? workOfValue + value.length / charactersPerWork : workOfValue);
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (!(value instanceof CelNode)) return value;
  if (value instanceof CelUint) return toJson(value.value);
  if (value instanceof CelBytes) return Buffer.from(value.value).toString("base64");
  if (value instanceof CelTimestamp) return formatRfc3339(value.ns, value.zoneMinutes);
  if (value instanceof CelDuration) return formatSeconds(value.ns);
  if (value instanceof CelOptional) return value.value === undefined ? null : toJson(value.value);
  if (value instanceof CelList) return [...value].map(toJson);
  if (value instanceof CelMap)
    return Object.fromEntries([...value.keys()].map((key) => [String(toJson(key)), toJson(value.find(key) ?? null)]));
  if (value instanceof CelStruct)
    return Object.fromEntries([...value.fields()].map((name) => [name, toJson(value.find(name) ?? null)]));
  throw new TypeError(`cannot write a value of type ${typeOf(value).kind} as JSON`);
}
