import { isRecord, jsonEqual, ownMember } from "@kubewright/apimachinery";

export interface Difference {
  /** Path, such as `spec.ports[0].name`. */
  readonly path: string;
  /** Value before; `undefined` if absent. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns the differences between two JSON values, reported at the deepest possible path. */
export function differences(before: unknown, after: unknown, path = ""): readonly Difference[] {
  if (before !== undefined && after !== undefined && jsonEqual(before, after)) return [];
  if (isRecord(before) && isRecord(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) => {
      const [one, other] = [ownMember(before, name), ownMember(after, name)];
      return one === undefined && other === undefined
        ? []
        : differences(one, other, path === "" ? name : `${path}.${name}`);
    });
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length)
    return before.flatMap((item: unknown, i) => differences(item, after[i], `${path}[${i}]`));
  return [{ path, before, after }];
}
