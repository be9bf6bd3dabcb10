import { isSameMember, keepIntegerOf, withIntegersOf } from "../value/json.ts";
import { isRecord, jsonEqual, ownMember, setOwnMember } from "../value/json-value.ts";

/**
 * Returns a copy of a document with an RFC 7396 merge patch applied. The arguments are not modified, but the result may
 * share parts with both of them.
 */
export function applyMergePatch(document: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(document) ? withIntegersOf(document, { ...document }) : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else {
      setOwnMember(result, key, applyMergePatch(ownMember(result, key), value));
      keepIntegerOf(patch, key, result, key);
    }
  }
  return result;
}

/**
 * Returns the smallest RFC 7396 patch that turns `from` into `to`. The patch is empty if both are equal. Members of `to` that are
 * `undefined` are treated as absent.
 */
export function createMergePatch(from: unknown, to: unknown): Record<string, unknown> {
  const before = isRecord(from) ? from : {};
  const after = isRecord(to) ? to : {};
  const patch: Record<string, unknown> = {};
  for (const key of Object.keys(before)) {
    if (before[key] !== undefined && ownMember(after, key) === undefined) setOwnMember(patch, key, null);
  }
  for (const [key, value] of Object.entries(after)) {
    const old = ownMember(before, key);
    if (value === undefined || isSameMember(before, key, after, key, jsonEqual(old, value))) continue;
    if (isRecord(old) && isRecord(value)) {
      const inner = createMergePatch(old, value);
      if (Object.keys(inner).length > 0) setOwnMember(patch, key, inner);
    } else {
      setOwnMember(patch, key, value);
      keepIntegerOf(after, key, patch, key);
    }
  }
  return patch;
}
