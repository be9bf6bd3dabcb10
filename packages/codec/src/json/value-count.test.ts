import { isStatusError } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { countSeparators, maxValues, refuseTooManyValues } from "./value-count.ts";

const numbers = (count: number): number[] => Array.from({ length: count }, () => 1);
const members = (count: number): Record<string, number> =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 1]));

const isRefused = (value: unknown, bytes?: number): boolean => {
  try {
    refuseTooManyValues(value, bytes);
    return false;
  } catch (error) {
    if (!isStatusError(error)) throw error;
    expect(error.status).toEqual({
      ...{ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", reason: "RequestEntityTooLarge" },
      ...{ code: 413, message: "Request entity too large: limit is 100000 values in lists and objects" },
    });
    return true;
  }
};

it.each<readonly [title: string, of: (count: number) => unknown, most: number]>([
  ["members", members, maxValues],
  ["items", numbers, maxValues - 1],
  ["items of items", (count) => [numbers(count)], maxValues - 2],
  ["members of items", (count) => [members(count)], maxValues - 2],
  ["items of members", (count) => ({ a: numbers(count) }), maxValues - 1],
  ["items of several members", (count) => ({ a: numbers(10), b: 1, c: numbers(count) }), maxValues - 13],
  ["members of members", (count) => ({ a: members(count) }), maxValues - 1],
  ["items next to others", (count) => [numbers(10), numbers(count)], maxValues - 13],
  ["members of metadata", (count) => ({ metadata: { labels: members(count) } }), maxValues - 2],
])("allows so many %s, and no more", (_title, of, most) => {
  expect([isRefused(of(most)), isRefused(of(most + 1))]).toEqual([false, true]);
});

describe("managed fields", () => {
  const managedFields = numbers(maxValues);

  it("are not counted in the metadata of an object", () => {
    const metadata = (labels: number): object => ({ metadata: { managedFields, labels: members(labels) } });
    expect([isRefused(metadata(maxValues - 2)), isRefused(metadata(maxValues - 1))]).toEqual([false, true]);
  });

  it.each<readonly [object]>([
    [{ managedFields }],
    [{ metadata: { managedFields: members(maxValues) } }],
    [{ spec: { managedFields } }],
    [{ spec: { metadata: { managedFields } } }],
    [{ metadata: { labels: { managedFields } } }],
    [[{ metadata: { managedFields } }]],
  ])("are counted elsewhere", (value) => {
    expect(isRefused(value)).toBe(true);
  });
});

it("does not look through short texts", () => {
  const value = numbers(maxValues);
  expect([isRefused(value, 2 * maxValues), isRefused(value, 2 * maxValues + 1)]).toEqual([false, true]);
});

it.each<readonly [text: string, count: number]>([
  ["1", 0],
  ["{}", 1],
  ['{"a":[1,2,{"b":3}],"c":4}', 6],
  [String.raw`["a,b{[\\",",\",{"]`, 2],
  ['{"a', 1],
])("counts commas, lists and objects outside of strings: %s", (text, count) => {
  expect(countSeparators(text)).toBe(count);
});

it("stops counting at a limit", () => {
  expect([countSeparators("[[[[", 2), countSeparators("[[", 2)]).toEqual([3, 2]);
});
