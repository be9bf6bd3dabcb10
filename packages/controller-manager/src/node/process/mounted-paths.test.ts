import { expect, it } from "vitest";
import { expand, expandAll } from "./expansion.ts";
import { mountedPaths } from "./mounted-paths.ts";

const mounts = [
  { name: "bundle", mountPath: "/bundle" },
  { name: "etc", mountPath: "/etc/app/" },
  { name: "etc", mountPath: "/etc/app/deep", subPath: "sub" },
];
const here = mountedPaths("/tmp/pod", { name: "main", volumeMounts: mounts });

it.each([
  ["/bundle", "/tmp/pod/volumes/bundle"],
  ["/bundle/operator.mjs.gz", "/tmp/pod/volumes/bundle/operator.mjs.gz"],
  ["--config=/etc/app/a.yaml", "--config=/tmp/pod/volumes/etc/a.yaml"],
  ["/etc/app/deep/a", "/tmp/pod/volumes/etc/sub/a"],
  ["/bundle:/etc/app", "/tmp/pod/volumes/bundle:/tmp/pod/volumes/etc"],
  ["import('file:///bundle/x.mjs')", "import('file:///tmp/pod/volumes/bundle/x.mjs')"],
  ["/bundles/x", "/bundles/x"],
  ["/opt/bundle", "/opt/bundle"],
  ["https://example.com/bundle", "https://example.com/bundle"],
  ["bundle", "bundle"],
  ["/etc/application", "/etc/application"],
])("the path in %s is on this machine %s", (text, expected) => {
  expect(here(text)).toBe(expected);
});

it("refuses mounts that a process cannot have", () => {
  const of = (mount: object) => () => mountedPaths("/tmp/pod", { name: "main", volumeMounts: [mount as never] });
  const start = performance.now();
  expect(of({ name: "a", mountPath: `${"/".repeat(100_000)}x` })).toThrow("mountPath is longer than 4096 characters");
  expect(of({ name: "a", mountPath: "/".repeat(4_096) })).toThrow("mount a volume as its root folder");
  expect(performance.now() - start).toBeLessThan(3_000);
  expect(of({ name: "a", mountPath: "/" })).toThrow("mount a volume as its root folder");
  expect(of({ name: "a", mountPath: "/a", subPath: "../../b" })).toThrow("points outside its volume");
  expect(of({ name: "a", mountPath: "/a", subPathExpr: "$(X)" })).toThrow("subPathExpr");
});

it.each([
  ["$(A)-$(B)", "a-$(B)"],
  ["$$(A)", "$(A)"],
  ["$A $(A", "$A $(A"],
  ["$$$(A)", "$a"],
])("%s is expanded to %s", (text, expected) => {
  expect(expand(text, new Map([["A", "a"]]))).toBe(expected);
});

it("expands unclosed references in linear time", () => {
  const text = `$(A)$$${"$(".repeat(300_000)}$$`;
  const startedAt = performance.now();
  expect(expand(text, new Map([["A", "a"]]))).toBe(`a$${"$(".repeat(300_000)}$`);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

it("limits the length of expanded texts, together", () => {
  const env = new Map([["A", "a".repeat(1_024 * 1_024)]]);
  expect(expandAll(["$(A)", "$(A)"], env)).toHaveLength(2);
  expect(() => expandAll(["$(A)", "$(A)", "$(A)"], env)).toThrow("$(A) expands to more than 2097152 characters");
  expect(() => expand("$(A)$(A)$(A)", env)).toThrow(RangeError);
});
