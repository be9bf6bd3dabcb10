import { expect, it } from "vitest";
import {
  digestOf,
  isDigest,
  isIndexType,
  isManifestType,
  isPlatform,
  parseDescriptor,
  platformText,
} from "./descriptor.ts";

const digest = digestOf(Buffer.from("a"));
const good = { mediaType: "m", digest, size: 1 };

it("keeps only known fields", () => {
  expect(parseDescriptor({ ...good, data: "x", artifactType: "y" }, "d")).toEqual(good);
  const platform = { os: "linux", architecture: "arm64", variant: "v8", "os.features": ["x"] };
  expect(parseDescriptor({ ...good, platform, annotations: { a: "b", c: 1 }, urls: [] }, "d")).toEqual({
    ...good,
    ...{ platform: { os: "linux", architecture: "arm64", variant: "v8" }, annotations: { a: "b" } },
  });
  expect(parseDescriptor({ ...good, size: 0 }, "d").size).toBe(0);
  expect(parseDescriptor({ ...good, size: 2 ** 40 }, "d").size).toBe(2 ** 40);
});

it.each([
  [undefined, "d.mediaType: undefined: must be a string"],
  [[good], "d.mediaType: undefined: must be a string"],
  [{ ...good, mediaType: 1 }, "d.mediaType: 1: must be a string"],
  [{ ...good, digest: "sha256:../../../etc/passwd" }, "d.digest: "],
  [{ ...good, digest: `${digest}0` }, "d.digest: "],
  [{ ...good, digest: digest.toUpperCase() }, "d.digest: "],
  [{ ...good, digest: `sha512:${"a".repeat(128)}` }, "d.digest: "],
  [{ ...good, digest: `${digest}\n` }, "d.digest: "],
  [{ ...good, size: -1 }, "d.size: -1: must be a whole number of at most 1099511627776"],
  [{ ...good, size: 1.5 }, "d.size: 1.5: "],
  [{ ...good, size: "1" }, 'd.size: "1": '],
  [{ ...good, size: 2 ** 40 + 1 }, "d.size: 1099511627777: "],
  [{ ...good, urls: ["https://elsewhere"] }, "d.urls: "],
  [{ ...good, platform: { os: "linux" } }, 'd.platform: {"os":"linux"}: must contain os and architecture'],
  [{ ...good, platform: { os: "", architecture: "amd64" } }, "d.platform: "],
  [{ ...good, platform: { os: "linux", architecture: "" } }, "d.platform: "],
])("refuses %j, naming the field", (value, message) => {
  expect(() => parseDescriptor(value, "d")).toThrow(message);
});

it("is shortened in messages", () => {
  const text = "x".repeat(10_000);
  expect(() => parseDescriptor({ ...good, digest: text }, "d")).toThrow(/^.{0,300}$/);
  expect(isDigest(digest)).toBe(true);
  expect(isDigest(1)).toBe(false);
});

it("matches a platform with the wanted variant, or any if none is wanted", () => {
  const [plain, v8] = [
    { os: "linux", architecture: "arm64" },
    { os: "linux", architecture: "arm64", variant: "v8" },
  ];
  expect([isPlatform(plain, plain), isPlatform(v8, plain), isPlatform(v8, v8)]).toEqual([true, true, true]);
  const others = [
    { ...v8, variant: "v7" },
    { ...plain, os: "windows" },
    { ...plain, architecture: "arm" },
  ];
  for (const other of others) expect([other, isPlatform(other, v8)]).toEqual([other, false]);
  expect(isPlatform(plain, v8)).toBe(false);
  expect([platformText(plain), platformText(v8)]).toEqual(["linux/arm64", "linux/arm64/v8"]);
});

it("recognizes indexes and manifests of OCI and Docker", () => {
  const [oci, docker] = ["application/vnd.oci.image.", "application/vnd.docker.distribution."];
  const types = [
    `${oci}index.v1+json`,
    `${docker}manifest.list.v2+json`,
    `${oci}manifest.v1+json`,
    `${docker}manifest.v2+json`,
    "",
  ];
  expect(types.map(isIndexType)).toEqual([true, true, false, false, false]);
  expect(types.map(isManifestType)).toEqual([false, false, true, true, false]);
});
