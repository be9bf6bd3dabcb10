import fc from "fast-check";

/** Words that some field of some kind accepts. */
const words = [
  "Always",
  "Never",
  "OnDelete",
  "RollingUpdate",
  "Recreate",
  "TCP",
  "UDP",
  "None",
  "Exists",
  "In",
  "Retain",
];
const texts = [
  "",
  "A B",
  "-",
  "a/b",
  "x".repeat(64),
  "x".repeat(300),
  "é",
  "80",
  "1Gi",
  "-1",
  "a.b",
  "http",
  "::1",
  "50%",
  "/",
];
const numbers = [0, -1, 1, 2, 80, 101, 65536, 2 ** 31, 2 ** 53, 1.5, 1e300];

const odd = fc.oneof(
  fc.constantFrom<unknown>(...texts, ...numbers, true, null, [], {}, [[]], [null], { "": "" }),
  fc.jsonValue({ maxDepth: 2 }),
);

/** Returns every position in a value that can be changed: members and elements. */
export function places(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, member]) => places(member, [...path, key]))];
}

export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], value);
}

/** Returns a copy with another value at a position; undefined removes it. */
export function changed(value: unknown, path: readonly string[], to: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return to;
  const copy = structuredClone(value) as Record<string, unknown>;
  if (rest.length === 0 && to === undefined) {
    if (Array.isArray(copy)) copy.splice(Number(key), 1);
    else delete copy[key];
  } else copy[key] = changed(copy[key], rest, to);
  return copy;
}

/** Returns replacements for `value`: of the same type, nothing, with additional content, or anything. */
export function insteadOf(value: unknown): fc.Arbitrary<unknown> {
  const similar = sameType(value);
  return fc.oneof(
    { weight: 5, arbitrary: similar },
    { weight: 2, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: odd },
  );
}

function sameType(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value === "string") return fc.constantFrom(...texts, ...words, `${value}x`, `${value}-`);
  if (typeof value === "number") return fc.constantFrom<unknown>(...numbers, value + 1, value - 1);
  if (typeof value === "boolean") return fc.constant(!value);
  if (Array.isArray(value)) return fc.constantFrom<unknown>([], [...value, value[0]], [...value, {}], [...value, ""]);
  return fc.constantFrom<unknown>({}, { ...(value as object), unknownField: 1 }, { ...(value as object), "": "" });
}
