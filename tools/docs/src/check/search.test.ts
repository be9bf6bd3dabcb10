import { expect, it } from "vitest";
import { searchOptions } from "../../theme/search.ts";
import { queries, unfound } from "./search.ts";

it("reports queries whose pages are not among the first six results", () => {
  const results = ["/a#1", "/a#2", "/b", "/c#1", "/d", "/e", "/f#late"];
  const index = { search: (words: string) => (words === "nothing" ? [] : results) };
  expect(unfound(index, { x: ["/a", "/e"], y: ["/f", "/b"], nothing: ["/a"] })).toEqual([
    'the search for "y" does not find /f, but /a#1, /a#2, /b, /c#1, /d, /e',
    'the search for "nothing" does not find /a, but nothing',
  ]);
});

it("ranks prose before the generated reference", () => {
  expect(searchOptions.boostDocument("/reference/api/client#get")).toBe(0.15);
  expect(searchOptions.boostDocument("/guide/caches#live")).toBe(1);
});

it("covers many queries", () => expect(Object.keys(queries).length).toBeGreaterThanOrEqual(49));
