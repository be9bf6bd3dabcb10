import type { StructuralSchema } from "@kubewright/apimachinery";

/** Returns a number from 0 to 1, excluding 1. */
export type Random = () => number;

/** Returns numbers that depend only on the seed. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Values that are wrong for most schemas. */
const wrong: readonly unknown[] = [null, "text", "", 1.5, 3e9, -1, true, [], {}, [null], 1e100, 2 ** 31];

const texts: readonly string[] = [
  "example",
  "MONday",
  "a",
  "",
  "1h",
  "v1",
  "50%",
  "2026-01-01T00:00:00Z",
  "192.0.2.1",
  "192.0.2.0/24",
  "example.com",
  "example.com/v1",
  "https://example.com/",
  "ZXhhbXBsZQ==",
  "* * * * *",
];

/** Maximum number of values in an object, after which only required fields are added. */
const maxValues = 150;

/** Generates values for a schema. Most of them are valid, and most objects contain a few invalid values. */
export class RandomValues {
  readonly #random: Random;
  #left = maxValues;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Returns a value for a schema. @param isRoot true for a value that must have the right type */
  valueOf(schema: StructuralSchema, isRoot = false): unknown {
    this.#left--;
    if (!isRoot && this.#chance(0.01)) return this.#pick(wrong);
    if (schema.enum && this.#chance(0.95)) return this.#pick(schema.enum);
    if (schema["x-kubernetes-int-or-string"]) return this.#pick([1, 0, 8080, "1", "50%", "10Mi", "100m", ""]);
    switch (schema.type) {
      case "object":
        return this.#object(schema);
      case "array":
        return this.#list(schema);
      case "boolean":
        return this.#chance(0.5);
      case "integer":
      case "number":
        return this.#number(schema);
      case "string":
        return this.#text(schema);
      default:
        return this.#pick<unknown>([{ any: [1, "a", null] }, "any", 7]);
    }
  }

  #object(schema: StructuralSchema): Record<string, unknown> {
    const { properties = {}, required = [], additionalProperties: values } = schema;
    if (schema["x-kubernetes-embedded-resource"]) return { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
    const names = Object.keys(properties).filter((name) =>
      this.#chance(required.includes(name) ? 0.98 : this.#left > 0 ? 0.3 : 0),
    );
    const entries = names.map((name) => [name, this.valueOf(properties[name] ?? {})]);
    const keys = typeof values === "object" ? ["a", "b.c"].filter(() => this.#chance(0.4)) : [];
    const others = keys.map((key) => [key, this.valueOf(values as StructuralSchema)]);
    const unknown = this.#chance(0.03) ? [["notInTheSchema", { a: 1 }]] : [];
    return Object.fromEntries([...entries, ...others, ...unknown]);
  }

  #list({ items = {}, minItems = 0 }: StructuralSchema): unknown[] {
    const count = this.#chance(0.95) ? Math.max(minItems, this.#left > 0 ? this.#pick([0, 1, 1, 2]) : 0) : 0;
    const list = Array.from({ length: Math.min(count, 20) }, () => this.valueOf(items));
    return this.#chance(0.03) ? [...list, ...list.slice(0, 1)] : list;
  }

  #number({ minimum, maximum, multipleOf }: StructuralSchema): number {
    const [least = 0, most = 100] = [minimum, maximum];
    if (this.#chance(0.05)) return this.#pick([least - 1, most + 1, 1.5, 2 ** 31, -1, 1e18]);
    return this.#pick([least, most, multipleOf ?? least, Math.min(most, Math.max(least, 1))]);
  }

  #text({ minLength = 0, maxLength = 1_000, pattern, format }: StructuralSchema): string {
    if (this.#chance(0.03)) return this.#pick(["x".repeat(Math.min(maxLength + 1, 2_000)), ""]);
    const fits = (text: string): boolean =>
      text.length >= minLength && text.length <= maxLength && (pattern === undefined || matches(pattern, text));
    const candidates = texts.filter(fits);
    const known = format === undefined ? candidates.slice(0, 3) : candidates;
    return known.length > 0 ? this.#pick(known) : "example".padEnd(minLength, "e").slice(0, maxLength);
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)] as T; // the index is within the list, which is not empty
  }

  #chance = (probability: number): boolean => this.#random() < probability;
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return false; // not a pattern that JavaScript knows
  }
}
