import { isRecord, StatusError } from "@kubewright/apimachinery";
import { endOfString } from "./duplicate-fields.ts";

/**
 * Maximum number of values (members and items, at all levels) in an object. Each value takes time and memory for
 * defaulting, validation and comparison. A text of three megabytes can contain a million values, whereas the objects
 * that etcd accepts have about ten thousand.
 */
export const maxValues = 100_000;
/** Minimum length of a value with its separator, in bytes. */
const leastBytes = 2;

/**
 * Rejects an object with more values than {@link maxValues}. Managed fields do not count, because the server itself
 * writes them.
 *
 * @param bytes size of the text from which the value was parsed; if it is small, the values need not be counted
 *
 * @throws {StatusError} 413 if the object has too many values
 */
export function refuseTooManyValues(value: unknown, bytes = Number.POSITIVE_INFINITY): void {
  if (bytes <= leastBytes * maxValues) return;
  const left = isRecord(value) ? leftWithout(value, managedFieldsOf(value)) : remaining(value, maxValues);
  if (left < 0) throw tooManyValues();
}

/**
 * Counts the commas, lists and objects in a JSON text without parsing it. The count is an upper bound on the number of
 * members and items in the value. For invalid JSON, the result is unspecified.
 *
 * @param most limit above which counting stops. Default: no limit
 */
export function countSeparators(text: string, most = Number.POSITIVE_INFINITY): number {
  let count = 0;
  for (let at = 0; at < text.length && count <= most; at++) {
    const letter = text.charCodeAt(at);
    if (letter === comma || letter === openBrace || letter === openBracket) count++;
    else if (letter === quoteMark) at = endOfString(text, at);
  }
  return count;
}

const [comma, openBrace, openBracket, quoteMark] = [0x2c, 0x7b, 0x5b, 0x22];

/** Returns the error for an object with more values than {@link maxValues}. */
export const tooManyValues = (): StatusError =>
  new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: `Request entity too large: limit is ${maxValues} values in lists and objects`,
    reason: "RequestEntityTooLarge",
    code: 413,
  });

const managedFieldsOf = ({ metadata }: Readonly<Record<string, unknown>>): unknown =>
  isRecord(metadata) && Array.isArray(metadata.managedFields) ? metadata.managedFields : undefined;

function leftWithout(value: Readonly<Record<string, unknown>>, skipped: unknown): number {
  let left = maxValues;
  for (const name in value) {
    const member = value[name];
    left = remaining(member, left, name === "metadata" ? skipped : undefined);
    if (left < 0) return left;
  }
  return left;
}

/** Subtracts the number of values from a limit and returns the rest. Stops counting as soon as the rest is negative. */
function remaining(value: unknown, most: number, skipped?: unknown): number {
  let left = most - 1;
  if (typeof value !== "object" || value === null) return left;
  if (Array.isArray(value)) {
    if (value.length > left) return -1;
    for (const item of value) {
      left = remaining(item, left);
      if (left < 0) return left;
    }
    return left;
  }
  for (const name in value) {
    const member = (value as Readonly<Record<string, unknown>>)[name];
    if (skipped !== undefined && member === skipped) continue;
    left = remaining(member, left);
    if (left < 0) return left;
  }
  return left;
}
