import { isRecord, StatusError } from "@kubewright/apimachinery";

/**
 * Maximum number of values (members and items, at all levels) in an object. Each value costs time and memory for defaults, validation and
 * comparison. Three megabytes can contain a million values, whereas objects that etcd accepts have about ten thousand.
 */
export const maxValues = 100_000;
/** Minimum length of a value and its separator. */
const leastBytes = 2;

/**
 * Rejects an object with more than {@link maxValues}; managed fields do not count because the server itself writes them.
 *
 * @param bytes size of the original text, if any: short strings are not counted
 *
 * @throws {StatusError} 413
 */
export function refuseTooManyValues(value: unknown, bytes = Number.POSITIVE_INFINITY): void {
  if (bytes <= leastBytes * maxValues) return;
  const left = isRecord(value) ? leftWithout(value, managedFieldsOf(value)) : remaining(value, maxValues);
  if (left < 0) throw tooManyValues();
}

/** Returns the error for more than {@link maxValues}. */
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

/** Subtracts these values from a limit and returns the rest, which is negative as soon as the limit is exceeded. */
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
