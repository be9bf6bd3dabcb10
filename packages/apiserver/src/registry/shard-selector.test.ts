import { expect, it } from "vitest";
import { parseShardSelector } from "./shard-selector.ts";

const half = "0x8000000000000000";
const range = (start: string, end: string, field = "object.metadata.uid"): string =>
  `shardRange(${field}, '${start}', '${end}')`;
const all = ["0x0000000000000000", "0x10000000000000000"] as const;
const object = (uid: string, namespace = "n") => ({
  apiVersion: "v1",
  kind: "A",
  metadata: { name: "a", namespace, uid },
});
const refusal = (text: string): string => {
  try {
    parseShardSelector(text);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message.replace("invalid shard selector: ", "") : "";
  }
};

/** @see http://www.isthe.com/chongo/tech/comp/fnv, test vectors of FNV-1a */
it.each([
  ["", 0xcbf29ce484222325n],
  ["a", 0xaf63dc4c8601ec8cn],
  ["foobar", 0x85944171f73967e8n],
])("selects an object by the hash of its UID: %j", (uid, hash) => {
  const bound = (value: bigint): string => `0x${value.toString(16)}`;
  const selects = (start: bigint, end: bigint): boolean =>
    parseShardSelector(range(bound(start), bound(end))).matches(object(uid));
  expect(selects(hash, hash + 1n)).toBe(true);
  expect([selects(hash - 1n, hash), selects(hash + 1n, hash + 2n)]).toEqual([false, false]);
});

it("selects every object in exactly one of several shards", () => {
  const quarters = ["0x0000000000000000", "0x4000000000000000", half, "0xc000000000000000", all[1]];
  const shards = quarters.slice(1).map((end, i) => parseShardSelector(range(quarters[i] ?? "", end)));
  const found = Array.from(
    { length: 200 },
    (_, i) => shards.filter((shard) => shard.matches(object(`uid-${i}`))).length,
  );
  expect(new Set(found)).toEqual(new Set([1]));
});

it("selects by namespace, and by several ranges", () => {
  const field = "object.metadata.namespace";
  const text = ` ${range(all[0], half, field)}||(${range(half, all[1], field)}) `;
  const selector = parseShardSelector(text);
  expect(selector.text).toBe(`${range(all[0], half, field)} || ${range(half, all[1], field)}`);
  expect(selector.matches(object("u"))).toBe(true);
  const [low, high] = [range(all[0], half, field), range(half, all[1], field)].map(parseShardSelector);
  expect(low?.matches(object("x", "a"))).toBe(low?.matches(object("y", "a")));
  expect(low?.matches(object("x", "a"))).not.toBe(high?.matches(object("x", "a")));
});

const [s, e] = [`'${all[0]}'`, `'${half}'`];

it.each([
  [" ", "empty shard selector is not allowed; omit the parameter for unfiltered lists"],
  ["shardRange(", "CEL parse error: "],
  ["object.metadata.uid", "unexpected expression kind 7; expected shardRange() call or || operator"],
  ["'a'", "unexpected expression kind 5; expected shardRange() call or || operator"],
  [`${range(...all)} && true`, 'unsupported function "_&&_"; only shardRange() and || are allowed'],
  ["has(object.metadata)", 'unsupported function "has"; only shardRange() and || are allowed'],
  [`shardRange(object.metadata.uid, ${s})`, "shardRange() requires exactly 3 arguments, got 2"],
  [
    range(...all, "object.metadata.name"),
    'unsupported field path "object.metadata.name"; supported: object.metadata.uid, object.metadata.namespace',
  ],
  [
    `shardRange('a', ${s}, ${e})`,
    "shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind 5",
  ],
  [`shardRange(object.metadata.uid, 0, ${e})`, "hexStart must be a string literal, got int64"],
  [`shardRange(object.metadata.uid, ${s}, 1u)`, "hexEnd must be a string literal, got uint64"],
  [
    `shardRange(object.metadata.uid, a, ${e})`,
    "hexStart must be a string literal (e.g. '0xff'), got expression kind 3",
  ],
  [range("00", half), "hexStart must have '0x' prefix, got \"00\""],
  [range("0x", half), "hexStart: hex value is required after '0x'"],
  [range("0x000000000000000000", half), 'hexStart: hex value too long (18 chars, max 17): "000000000000000000"'],
  [range("0x0g", half), 'hexStart: invalid hex character "g" in "0x0g"'],
  [
    range("0x0", half),
    'hexStart must be a 0x-prefixed 16-digit hex value, got "0x0" (did you mean "0x0000000000000000"?)',
  ],
  [
    range(all[0], "0x20000000000000000"),
    "hexEnd: 17-digit hex value must be '0x10000000000000000' (2^64), got \"0x20000000000000000\"",
  ],
  [range(half, half), `shard range start ${half} must be less than end ${half}`],
  [
    `${range(...all)} || ${range(...all, "object.metadata.namespace")}`,
    'all shard ranges must use the same field, got "object.metadata.uid" and "object.metadata.namespace"',
  ],
])("rejects %s", (text, message) => {
  expect(refusal(text)).toContain(message);
});
