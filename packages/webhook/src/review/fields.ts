import { isRecord, ownMember, quote } from "@kubewright/apimachinery";

/** Thrown for a review that cannot be read. The message contains the field that has the wrong type. */
export class ReviewError extends Error {
  override readonly name = "ReviewError";
}

type Fields = Readonly<Record<string, unknown>>;

const wrong = (path: string, wanted: string, value: unknown): ReviewError =>
  new ReviewError(`${path}: expected ${wanted}, got ${typeName(value)}`);

const typeName = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "a list" : isRecord(value) ? "an object" : `a ${typeof value}`;

/**
 * Returns a string field, or an empty string if the field is absent.
 *
 * @throws {ReviewError} if the field has a different type
 */
export function textField(fields: Fields, name: string, path: string): string {
  const value = ownMember(fields, name) ?? "";
  if (typeof value !== "string") throw wrong(`${path}.${name}`, "a string", value);
  return value;
}

export function flagField(fields: Fields, name: string, path: string): boolean {
  const value = ownMember(fields, name) ?? false;
  if (typeof value !== "boolean") throw wrong(`${path}.${name}`, "a boolean", value);
  return value;
}

/**
 * Returns an object field, or `undefined` if the field is absent or null.
 *
 * @throws {ReviewError} if the field has a different type
 */
export function objectField(fields: Fields, name: string, path: string): Fields | undefined {
  const value = ownMember(fields, name) ?? undefined;
  if (value !== undefined && !isRecord(value)) throw wrong(`${path}.${name}`, "an object", value);
  return value;
}

export function textsField(fields: Fields, name: string, path: string): readonly string[] {
  const value = ownMember(fields, name) ?? [];
  if (!Array.isArray(value)) throw wrong(`${path}.${name}`, "a list of strings", value);
  for (const [index, item] of value.entries())
    if (typeof item !== "string") throw wrong(`${path}.${name}[${index}]`, "a string", item);
  return value;
}

/**
 * Returns the `apiVersion` of a review of the given kind. If the review has neither `apiVersion` nor `kind`, returns the first known
 * version.
 *
 * @throws {ReviewError} if the version is unknown or the review is of a different kind
 */
export function reviewVersion(review: Fields, kind: string, known: readonly [string, ...string[]]): string {
  const [apiVersion, ownKind] = [textField(review, "apiVersion", "review"), textField(review, "kind", "review")];
  if (apiVersion === "" && ownKind === "") return known[0];
  if (ownKind !== kind || !known.includes(apiVersion))
    throw new ReviewError(
      `no kind ${quote(ownKind)} is supported here for version ${quote(apiVersion)}: expected ${kind} of ${known.join(" or ")}`,
    );
  return apiVersion;
}
