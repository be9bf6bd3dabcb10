import { isRecord, ownMember } from "@kubewright/apimachinery";

/**
 * A strategic merge patch as errors show it: upstream takes nulls out of what is new to the object while it applies the patch.
 *
 * @see apimachinery pkg/util/strategicpatch discardNullValuesFromPatch
 */
export function shownPatch(patch: Readonly<Record<string, unknown>>, object: unknown): Record<string, unknown> {
  const present = isRecord(object) ? object : {};
  return Object.fromEntries(
    Object.entries(patch).map(([name, value]) => {
      const before = ownMember(present, name);
      if (isRecord(value) && isRecord(before)) return [name, shownPatch(value, before)];
      return [name, Array.isArray(value) && Array.isArray(before) ? value : withoutNulls(value)];
    }),
  );
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, withoutNulls(member)]),
  );
}
