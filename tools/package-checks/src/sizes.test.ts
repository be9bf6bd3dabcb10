import { expect, it } from "vitest";
import { sizeComplaints } from "./sizes.ts";

const tarball = { name: "a", packedBytes: 100, unpackedBytes: 400 };

it("accepts a tarball of exactly the maximum size", () => {
  expect(sizeComplaints([tarball], { a: { packedBytes: 100, unpackedBytes: 400 } })).toEqual([]);
});

it("reports each exceeded limit", () => {
  expect(sizeComplaints([tarball], { a: { packedBytes: 99, unpackedBytes: 399 } })).toEqual([
    "a: packedBytes 100; the limit is 99 (tools/package-checks/sizes.json)",
    "a: unpackedBytes 400; the limit is 399 (tools/package-checks/sizes.json)",
  ]);
});

it("requires a limit for each package, and no others", () => {
  expect(sizeComplaints([tarball], { gone: { packedBytes: 1, unpackedBytes: 1 } })).toEqual([
    "a has no limit; add one to tools/package-checks/sizes.json (it has 100 bytes packed, 400 unpacked)",
    "tools/package-checks/sizes.json has a limit for gone, which is not published",
  ]);
});
