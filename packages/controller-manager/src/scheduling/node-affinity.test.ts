import type { Node } from "@kubewright/client/kinds";
import { expect, it } from "vitest";
import { matchesNodeAffinity, matchesNodeTerms } from "./node-affinity.ts";

const node = (labels: Record<string, string>): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "n", labels },
});

it.each(["constructor", "toString", "valueOf"])("a label %s matches the nodes that have it, and no others", (key) => {
  const exists = [{ matchExpressions: [{ key, operator: "Exists" }] }];
  const absent = [{ matchExpressions: [{ key, operator: "DoesNotExist" }] }];
  expect(matchesNodeTerms(exists, node({}))).toBe(false);
  expect(matchesNodeTerms(absent, node({}))).toBe(true);
  expect(matchesNodeTerms(exists, node({ [key]: "x" }))).toBe(true);
  const spec = { containers: [], nodeSelector: { [key]: "x" } };
  expect(matchesNodeAffinity({ spec }, node({ [key]: "x" }))).toBe(true);
  expect(matchesNodeAffinity({ spec }, node({}))).toBe(false);
});
