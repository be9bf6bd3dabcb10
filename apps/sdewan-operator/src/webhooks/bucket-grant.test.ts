import { expect, it } from "vitest";
import { grants } from "./bucket-grant.ts";

const example = '{ "mwan3rules": ["app-intent", "k8s-service"], "mwan3policies": ["*"], "firewall*": ["app-?ntent"] }';

it.each([
  ["mwan3rules", "k8s-service", true],
  ["mwan3rules", "other", false],
  ["mwan3policies", "other", true],
  ["firewallzones", "app-intent", true],
  ["firewallzones", "k8s-service", false],
  ["cnfroutes", "app-intent", false],
])("grants %s in %s: %s", (resource, bucket, is) => {
  expect(grants(example, resource, bucket)).toBe(is);
});

it.each([undefined, "", "{", "[]", "null", '"*"', '{"*": "*"}', '{"*": [1]}', '{"*": ["*"], "a": {}}'])(
  "grants nothing for %j",
  (annotation) => {
    expect(grants(annotation, "mwan3rules", "app-intent")).toBe(false);
  },
);

it("ignores annotations longer than 16 KiB", () => {
  const padded = (length: number) => `{"*": ["*"]}`.padEnd(length, " ");
  expect(grants(padded(16_384), "mwan3rules", "a")).toBe(true);
  expect(grants(padded(16_385), "mwan3rules", "a")).toBe(false);
});
