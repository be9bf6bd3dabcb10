import { isRecord, jsonEqual, ownMember } from "@kubewright/apimachinery";

export interface Difference {
  /** Such as `spec.ports[0].name`. */
  readonly path: string;
  /** `undefined` where it is absent. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Where two JSON values differ, as deep within as can be said. */
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
