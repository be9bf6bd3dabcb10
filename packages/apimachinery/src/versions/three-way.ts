import type { StructuralSchema } from "../schema/structural-schema.ts";
import { stringifyJson } from "../value/json.ts";
import { isRecord, jsonEqual, ownMember, setOwnMember } from "../value/json-value.ts";

/** Three states of one value. A state is `undefined` if the value is absent. */
interface ThreeWay {
  /** The part of the preserved value that the spoke can represent. */
  readonly held: unknown;
  /** The preserved value of the hub. */
  readonly kept: unknown;
  /** The current value in the spoke. */
  readonly now: unknown;
}

/**
 * Merges the spoke's current value with the preserved hub value. If the spoke's value is unchanged, the hub's value is
 * restored. Otherwise, the current value was edited and takes precedence.
 */
export function mergeThreeWay({ held, kept, now }: ThreeWay, schema: StructuralSchema | undefined): unknown {
  if (same(held, now)) return kept;
  if (isRecord(held) && isRecord(kept) && isRecord(now)) return mergeMembers(held, kept, now, schema);
  if (Array.isArray(held) && Array.isArray(kept) && Array.isArray(now)) {
    const keys = schema?.["x-kubernetes-list-type"] === "map" ? schema["x-kubernetes-list-map-keys"] : undefined;
    return keys ? mergeKeyed(held, kept, now, schema, keys) : mergeItems(held, kept, now, schema);
  }
  return now;
}

const same = (a: unknown, b: unknown): boolean => (a === undefined || b === undefined ? a === b : jsonEqual(a, b));

type Members = Readonly<Record<string, unknown>>;

function mergeMembers(held: Members, kept: Members, now: Members, schema: StructuralSchema | undefined): unknown {
  const result: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(now), ...Object.keys(kept)])) {
    const { properties, additionalProperties } = schema ?? {};
    const inner = ownMember(properties, name) ?? (isRecord(additionalProperties) ? additionalProperties : undefined);
    const states = { held: ownMember(held, name), kept: ownMember(kept, name), now: ownMember(now, name) };
    const merged = mergeThreeWay(states, inner as StructuralSchema | undefined);
    if (merged !== undefined) setOwnMember(result, name, merged);
  }
  return result;
}

/** Merges a list whose items are matched by their keys. Items that the spoke cannot represent at all are appended. */
function mergeKeyed(
  held: readonly unknown[],
  kept: readonly unknown[],
  now: readonly unknown[],
  schema: StructuralSchema | undefined,
  keys: readonly string[],
): unknown[] {
  const keyOf = (item: unknown): string => canonical(isRecord(item) ? keys.map((key) => item[key] ?? null) : item);
  const byKey = (items: readonly unknown[]) => new Map(items.map((item) => [keyOf(item), item]));
  const [heldBy, keptBy] = [byKey(held), byKey(kept)];
  const merged = now.map((item) => {
    const key = keyOf(item);
    return mergeThreeWay({ held: heldBy.get(key), kept: keptBy.get(key), now: item }, schema?.items);
  });
  const nowBy = byKey(now);
  const lost = [...keptBy].filter(([key]) => !heldBy.has(key) && !nowBy.has(key)).map(([, item]) => item);
  return [...merged, ...lost];
}

/**
 * Merges a list whose unchanged items are matched at any position. Other items are matched by position if the length of the list has not
 * changed.
 */
function mergeItems(
  held: readonly unknown[],
  kept: readonly unknown[],
  now: readonly unknown[],
  schema: StructuralSchema | undefined,
): unknown[] {
  if (held.length !== kept.length) return [...now];
  const places = new Map<string, number[]>();
  for (const [i, item] of held.entries()) {
    const key = canonical(item);
    const known = places.get(key);
    if (known) known.push(i);
    else places.set(key, [i]);
  }
  // The positions are reversed, so that `pop` returns the first remaining one.
  for (const list of places.values()) list.reverse();
  const found = now.map((item) => places.get(canonical(item))?.pop());
  const taken = new Set(found);
  return now.map((item, i) => {
    const place = found[i];
    if (place !== undefined) return kept[place];
    if (now.length !== held.length || taken.has(i)) return item;
    return mergeThreeWay({ held: held[i], kept: kept[i], now: item }, schema?.items);
  });
}

/** Returns a value as JSON with sorted members, so that equal values have equal texts. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isRecord(value)) return stringifyJson(value);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
}
