import { expect, it } from "vitest";
import type { StoredObject } from "../contract/storage.ts";
import { Collection } from "./collection.ts";
import { listPage } from "./list-page.ts";

const prefix = "/core/things/";
const keyOf = (name: number): string => `${prefix}default/${String(name).padStart(2, "0")}`;
const objectOf = (name: number, resourceVersion: number): StoredObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: String(name), resourceVersion: String(resourceVersion) },
});

it("shows every past state, from any key on, and counts it", () => {
  const collection = new Collection(1_000, 0);
  const states: (readonly (readonly [string, StoredObject])[])[] = [[]];
  for (let resourceVersion = 1; resourceVersion <= 200; resourceVersion++) {
    const name = (resourceVersion * 37 + ((resourceVersion * resourceVersion) % 11)) % 30;
    const key = keyOf(name);
    const previous = collection.get(key);
    const deleted = previous !== undefined && resourceVersion % 3 === 0;
    const object = objectOf(name, resourceVersion);
    collection.record({ key, resourceVersion, object, deleted, ...(previous ? { previous } : {}) });
    states.push([...collection.entries(prefix)]);
  }
  expect(new Set(states.map(({ length }) => length)).size).toBeGreaterThan(10);
  for (const [resourceVersion, state] of states.entries())
    for (const fromKey of [prefix, keyOf(7), keyOf(15), keyOf(29), keyOf(31)]) {
      const expected = state.filter(([key]) => key >= fromKey);
      expect([...collection.entriesAt(resourceVersion, prefix, fromKey)]).toEqual(expected);
      expect(collection.countAt(resourceVersion, prefix, fromKey)).toBe(expected.length);
    }
});

it("reads for a page only its objects, and the next one", () => {
  let looked = 0;
  function* entries(): Generator<readonly [string, StoredObject]> {
    for (let name = 0; name < 90; name++) {
      looked++;
      yield [keyOf(name), objectOf(name, 1)];
    }
  }
  const state = { resourceVersion: 5, entries: entries(), countFrom: (key: string) => (key === keyOf(2) ? 88 : -1) };
  const { items, metadata } = listPage(prefix, state, { predicate: { isEmpty: true, matches: () => true }, limit: 2 });
  expect(items).toHaveLength(2);
  expect(looked).toBe(3);
  expect(metadata).toMatchObject({ remainingItemCount: 88, continue: expect.any(String) });
});
