import type { Node, Pod } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { repellingTaint, type Toleration, tolerates } from "./taints.ts";

const taint = { key: "a", value: "b", effect: "NoSchedule" };

/** @see kubernetes api core/v1 toleration_test.go TestTolerationToleratesTaint */
it.each<[Toleration, boolean]>([
  [{ key: "a", operator: "Exists", effect: "NoSchedule" }, true],
  [{ key: "a", operator: "Exists" }, true],
  [{ key: "a", operator: "Exists", effect: "NoExecute" }, false],
  [{ key: "c", operator: "Exists" }, false],
  [{ operator: "Exists" }, true],
  [{ operator: "Exists", effect: "NoExecute" }, false],
  [{ key: "a", operator: "Equal", value: "b" }, true],
  [{ key: "a", value: "b" }, true],
  [{ key: "a", value: "c" }, false],
  [{ key: "a" }, false],
  [{ key: "a", operator: "Gt", value: "b" }, false],
])("%j tolerates a=b:NoSchedule: %s", (toleration, tolerated) => {
  expect(tolerates(toleration, taint)).toBe(tolerated);
});

it("tolerates a taint without a value by a toleration without one", () => {
  expect(tolerates({ key: "a" }, { key: "a", effect: "NoSchedule" })).toBe(true);
});

describe("a node repels a pod", () => {
  const spec = (...tolerations: Toleration[]): Pick<Pod, "spec"> => ({
    spec: { containers: [], tolerations: [...tolerations] },
  });
  const node = (...taints: (typeof taint)[]): Node => ({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n" },
    spec: { taints },
  });
  const away = { key: "c", value: "", effect: "NoExecute" };

  it("by its first taint that is not tolerated", () => {
    expect(repellingTaint(spec(), node(taint, away))).toBe(taint);
    expect(repellingTaint(spec({ key: "a", operator: "Exists" }), node(taint, away))).toBe(away);
    expect(repellingTaint(spec({ operator: "Exists" }), node(taint, away))).toBeUndefined();
  });

  it("not by a PreferNoSchedule taint", () => {
    expect(repellingTaint(spec(), node({ ...taint, effect: "PreferNoSchedule" }))).toBeUndefined();
  });

  it("not without taints, nor without a spec", () => {
    expect(repellingTaint({ spec: { containers: [] } }, node())).toBeUndefined();
    expect(repellingTaint(spec(), { apiVersion: "v1", kind: "Node", metadata: { name: "n" } })).toBeUndefined();
  });
});
