import { isRecord } from "@kubewright/apimachinery";
import { wrongType } from "@kubewright/codec";
import type { TypeSchema } from "@kubewright/codec/schema";
import { ItemError, itemElement } from "./atom.ts";
import { printElement } from "./path-element.ts";

/**
 * Checks the types in an applied configuration, and returns the errors. They have upstream's messages, such as
 * `.spec.x: field not declared in schema`. Null is valid everywhere.
 *
 * @see structured-merge-diff typed validate
 */
export function checkApplied(value: unknown, schema: TypeSchema, path = ""): string[] {
  if (value === null || value === undefined) return [];
  switch (schema.type) {
    case "any":
      return [];
    case "either":
      return isRecord(value) ? checkApplied(value, schema.object, path) : [];
    case "scalar":
      return checkScalar(value, schema.scalar, path);
    case "list":
      return Array.isArray(value) ? checkItems(value, schema, path) : [wrongType(path, "list", value)];
    default:
      return isRecord(value) ? checkMembers(value, schema, path) : [wrongType(path, "map", value)];
  }
}

const maxShown = 1_000;
const longestShown = 256 * 1024;

/**
 * Joins several messages into one, in the same way as upstream. Because each message contains a path that may be almost
 * as long as the request, the text is limited: after 1,000 messages or 256 KiB, it ends with the number of remaining
 * messages.
 */
export function joinMessages(messages: readonly string[]): string {
  const [only] = messages;
  if (messages.length === 1 && only !== undefined) return only;
  const lines = ["errors:"];
  let length = 0;
  for (const message of messages) {
    if (lines.length > maxShown || length > longestShown) break;
    lines.push(`  ${message}`);
    length += message.length;
  }
  const omitted = messages.length + 1 - lines.length;
  if (omitted > 0) lines.push(`  and ${omitted} more errors`);
  return lines.join("\n");
}

const at = (path: string, text: string): string => (path === "" ? text : `${path}: ${text}`);

function checkMembers(
  value: Readonly<Record<string, unknown>>,
  schema: TypeSchema & { type: "object" | "map" },
  path: string,
): string[] {
  const errors: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    const inner = schema.type === "map" ? schema.values : (schema.fields.get(name)?.schema ?? schema.rest);
    // these members of a resource are declared even if the schema in the CRD does not contain them
    const isTypeMeta = schema.type === "object" && schema.isResource && /^(apiVersion|kind|metadata)$/.test(name);
    if (inner) {
      for (const error of checkApplied(member, inner, `${path}.${name}`)) errors.push(error); // too many to spread
    } else if (!isTypeMeta) {
      errors.push(`${path}.${name}: field not declared in schema`);
      break;
    }
  }
  return errors;
}

function checkItems(value: readonly unknown[], schema: TypeSchema & { type: "list" }, path: string): string[] {
  const errors: string[] = [];
  const seen = new Set<string>();
  for (const [i, item] of value.entries()) {
    let step = `[${i}]`;
    if (schema.topology !== "atomic") {
      try {
        const element = itemElement(schema, item);
        step = printElement(element);
        if (seen.has(element)) errors.push(at(path, `duplicate entries for key ${step}`));
        seen.add(element);
      } catch (error) {
        if (!(error instanceof ItemError)) throw error;
        return [...errors, at(path, `element ${i}: ${error.message}`)];
      }
    }
    for (const error of checkApplied(item, schema.items, path + step)) errors.push(error);
  }
  return errors;
}

const scalarKinds: Readonly<Record<string, "string" | "numeric" | "boolean">> = {
  string: "string",
  bool: "boolean",
  int32: "numeric",
  int64: "numeric",
  uint8: "numeric",
  double: "numeric",
};

function checkScalar(value: unknown, scalar: string, path: string): string[] {
  const isNumber = typeof value === "number" || typeof value === "bigint";
  switch (scalarKinds[scalar]) {
    case "string":
      return typeof value === "string" ? [] : [wrongType(path, "string", value)];
    case "numeric":
      return isNumber ? [] : [wrongType(path, "numeric (int or float)", value)];
    case "boolean":
      return typeof value === "boolean" ? [] : [wrongType(path, "boolean", value)];
    default:
      return isRecord(value) || Array.isArray(value) ? [wrongType(path, "any scalar", value)] : [];
  }
}
