import { isRecord, StatusError } from "@kubewright/apimachinery";

/**
 * How many values (members and items, at all levels) an object may have. Each costs time and memory when it is given defaults, checked
 * and compared, and three megabytes hold a million of them; objects that etcd takes have some ten thousand.
 */
export const maxValues = 100_000;
/** A value and what parts it from the next. */
const leastBytes = 2;

/**
 * Refuses what has more than {@link maxValues}; who owns which field is left out, as the server writes that itself.
 *
 * @param bytes of the text it was read from, where there is one: short texts are not looked through
 * @throws {StatusError} 413
 */
export function refuseTooManyValues(value: unknown, bytes = Number.POSITIVE_INFINITY): void {
  if (bytes <= leastBytes * maxValues) return;
  const left = isRecord(value) ? leftWithout(value, managedFieldsOf(value)) : remaining(value, maxValues);
  if (left < 0) throw tooManyValues();
}

/** What somebody is told who sends more than {@link maxValues}. */
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

/** What is left of a number of values once these are taken away; negative as soon as there are more. */
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
