import { expect, it } from "vitest";
import { aggregate, type ClusterRole } from "./aggregated-roles.ts";
import { catalogueLines } from "./catalogue.ts";
import { keptOr } from "./protobuf-responses.ts";
import { withoutAdditions } from "./without-additions.ts";
import { withoutChance } from "./without-chance.ts";

it("writes a resource and its subresources in one line", () => {
  const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
  const resource = { singularName: "widget", namespaced: true, kind: "Widget" };
  const lines = catalogueLines([
    { ...resource, name: "widgets", verbs, shortNames: ["w"], categories: ["all"] },
    { ...resource, name: "widgets/status", verbs: ["get", "patch", "update"] },
    {
      ...resource,
      name: "widgets/scale",
      group: "autoscaling",
      version: "v1",
      kind: "Scale",
      verbs: ["get", "patch", "update"],
    },
    { ...resource, name: "widgets/log", verbs: ["get"] },
    { ...resource, name: "gadgets", namespaced: false, kind: "Gadget", singularName: "gadget", verbs: ["list", "get"] },
  ]);
  expect(lines).toEqual([
    "gadgets Gadget gadget C get,list",
    "widgets Widget widget N * [w] <all> log:get scale=autoscaling/v1/Scale status",
  ]);
});

it("keeps the first earlier response of the same name that differs only by chance", () => {
  const response = (name: string, resourceVersion: string, data: object = {}) => ({
    name,
    json: { metadata: { resourceVersion }, data },
    protobuf: `of ${resourceVersion}`,
  });
  const now = response("a", "3");
  const [recorded, committed] = [response("a", "2", { other: "1" }), response("a", "1")];
  expect(keptOr(now, [recorded, response("b", "1"), committed])).toBe(committed);
  expect(keptOr(now, [recorded])).toBe(now);
});

it("fills in the rules of aggregated roles, also from other aggregated roles", () => {
  const role = (
    name: string,
    rules: ClusterRole["rules"],
    labels = {},
    matchLabels?: Record<string, string>,
  ): ClusterRole => ({
    metadata: { name, labels },
    rules,
    ...(matchLabels ? { aggregationRule: { clusterRoleSelectors: [{ matchLabels }] } } : {}),
  });
  const get = { verbs: ["get"] };
  const list = { verbs: ["list"] };
  const roles = [
    role("admin", null, {}, { to: "admin" }),
    role("edit", null, { to: "admin" }, { of: "edit" }),
    role("x", [get, list], { of: "edit" }),
    role("y", [list], { to: "admin" }),
  ];
  aggregate(roles);
  expect(roles.map(({ rules }) => rules)).toEqual([[get, list], [get, list], [get, list], [list]]);
});

it("removes only fields that admission and allocators added", () => {
  const stored = {
    kind: "Service",
    metadata: { name: "a", uid: "u-1", creationTimestamp: "now", finalizers: ["kubernetes.io/pvc-protection", "own"] },
    spec: { clusterIP: "10.0.0.1", owner: "u-1", ports: [{ nodePort: 1 }, { nodePort: 2 }] },
  };
  const asked = { kind: "Service", metadata: {}, spec: { ports: [{ nodePort: 1 }, {}] } };
  expect(withoutAdditions(structuredClone(stored), asked)).toEqual({
    kind: "Service",
    metadata: { name: "a", finalizers: ["own"] },
    spec: { owner: "<uid>", ports: [{ nodePort: 1 }, {}] },
  });
  const headless = { ...structuredClone(stored), spec: { clusterIP: "None", clusterIPs: ["None"] } };
  expect(withoutAdditions(headless, asked)).toMatchObject({ spec: { clusterIP: "None", clusterIPs: ["None"] } });
});

it("treats recordings as equal that differ only in times, identifiers and versions", () => {
  const first = { manager: "a", operation: "Update", time: "2026-01-01T00:00:00Z" };
  const second = { manager: "b", operation: "Update", time: "2026-01-01T00:00:01Z" };
  const answer = (managedFields: readonly object[], resourceVersion: string, kind = "Site") =>
    withoutChance({ kind, metadata: { managedFields, resourceVersion, uid: "71798191-88d8-4035-bc73-09f9d24121ca" } });
  expect(answer([first, second], "7")).toBe(answer([second, first], "12"));
  expect(answer([first], "7")).not.toBe(answer([second], "7"));
  expect(answer([], "7")).not.toBe(answer([], "7", "Other"));
});
