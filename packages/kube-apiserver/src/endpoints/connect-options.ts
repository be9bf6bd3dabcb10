import { badRequest, isRecord, quote, quoteTime, type Unstructured } from "@kubewright/apimachinery";
import type { ApiRequest } from "@kubewright/apiserver/endpoints";
import { isTrue } from "@kubewright/apiserver/endpoints";
import { isInt64 } from "@kubewright/apiserver/registry";
import type { TypeSchema } from "@kubewright/codec/schema";
import { builtinSchema } from "@kubewright/codec/schema";

/** Options for a connection or for logs, in the form of a request body. */
export type ConnectOptions = Readonly<Record<string, unknown>>;

/**
 * Reads the options for a subresource from the request's query. For proxies, the `path` option is always the rest of
 * the URL path.
 *
 * @throws {StatusError} 400 if a value has the wrong type
 *
 * @see apiserver pkg/endpoints/handlers getRequestOptions, apimachinery runtime/conversion.go
 */
export function connectOptions({ query, info }: ApiRequest, kind: string): Unstructured {
  const schema = builtinSchema({ group: "", version: "v1", kind });
  if (!schema) throw new Error(`the type ${kind} is not in the type table`);
  const options: Record<string, unknown> = { kind, apiVersion: "v1" };
  for (const [name, field] of schema.fields) {
    if (name === "kind" || name === "apiVersion") continue;
    const given = name === "path" ? [pathBehind(info)] : query.getAll(name);
    const value = given.length === 0 ? undefined : read(given, field.schema, field.pointer);
    if (value !== undefined) options[name] = value;
  }
  return asObject(options);
}

/** Returns options in the form of an object, for admission. They have no metadata. */
function asObject(options: Record<string, unknown>): Unstructured {
  const isObject = (value: unknown): value is Unstructured => isRecord(value);
  if (!isObject(options)) throw new TypeError("options must be an object");
  return options;
}

function pathBehind({ rest, path }: ApiRequest["info"]): string {
  const joined = rest.length === 0 ? "" : `/${rest.join("/")}`;
  return path.endsWith("/") && !joined.endsWith("/") ? `${joined}/` : joined;
}

/** Parses the values of a query parameter. Like Go, leaves out zero values, unless the field is a pointer. */
function read(given: readonly string[], schema: TypeSchema, pointer: boolean): unknown {
  const [first = ""] = given;
  if (schema.type === "list")
    return schema.items.type === "scalar" && schema.items.scalar === "int32" ? given.flatMap(portsIn) : [...given];
  if (schema.type !== "scalar") return undefined;
  switch (schema.scalar) {
    case "bool":
      return isTrue(first) || undefined;
    case "int64":
      return integer(first);
    case "Time":
      return time(first);
    default:
      return first === "" && !pointer ? undefined : first;
  }
}

const parseError = (what: string, text: string, why: string): string =>
  `strconv.${what}: parsing ${quote(text)}: ${why}`;

/** Parses a list of ports. A single value may contain several ports, separated by commas. */
function portsIn(list: string): number[] {
  return list.split(",").map((text) => {
    const fail = (why: string): Error => badRequest(`cannot convert to []int32: ${parseError("ParseUint", text, why)}`);
    if (!/^\d+$/.test(text)) throw fail("invalid syntax");
    if (Number(text) > 65_535) throw fail("value out of range");
    return Number(text);
  });
}

function integer(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw badRequest(parseError("ParseInt", text, "invalid syntax"));
  if (!isInt64(text)) throw badRequest(parseError("ParseInt", text, "value out of range"));
  return Number(text);
}

const layout = "2006-01-02T15:04:05Z07:00";
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function time(text: string): string | undefined {
  if (text === "" || text === "0") return undefined;
  if (!timePattern.test(text))
    throw badRequest(
      `parsing time ${quoteTime(text)} as ${quoteTime(layout)}: cannot parse ${quoteTime(text)} as "2006"`,
    );
  return text;
}
