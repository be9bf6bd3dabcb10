import { expect, it } from "vitest";
import { AbsentOwners } from "./absent-owners.ts";

it("remembers the 500 absent owners added last, by namespace", () => {
  const absent = new AbsentOwners();
  for (let n = 0; n < 500; n++) absent.add(`${n}`, "a");
  expect(["a", "b", undefined].map((namespace) => absent.has("0", namespace))).toEqual([true, false, false]);
  absent.add("0", "a"); // added again to become the newest entry
  absent.add("of the cluster", undefined);
  expect(absent.has("of the cluster", undefined)).toBe(true);
  expect(["0", "1", "2", "499"].map((uid) => absent.has(uid, "a"))).toEqual([true, false, true, true]);
});
