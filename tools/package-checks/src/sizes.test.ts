import { expect, it } from "vitest";
import { sizeComplaints } from "./sizes.ts";

const tarball = { name: "a", packedBytes: 100, unpackedBytes: 400 };

it("lets a tarball be as large as its limits", () => {
  expect(sizeComplaints([tarball], { a: { packedBytes: 100, unpackedBytes: 400 } })).toEqual([]);
});

it("names each limit that is passed", () => {
  expect(sizeComplaints([tarball], { a: { packedBytes: 99, unpackedBytes: 399 } })).toEqual([
    "a: packedBytes 100, 99 at most (tools/package-checks/sizes.json)",
    "a: unpackedBytes 400, 399 at most (tools/package-checks/sizes.json)",
  ]);
});

it("wants a limit for each package, and no others", () => {
  expect(sizeComplaints([tarball], { gone: { packedBytes: 1, unpackedBytes: 1 } })).toEqual([
    "a has no limit; add one to tools/package-checks/sizes.json (it has 100 packed, 400 unpacked bytes)",
    "tools/package-checks/sizes.json limits gone, which is not published",
  ]);
});
