import type { LabelSelectorSpec } from "@kubewright/apimachinery";
import { Pod } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { CniInterface } from "../api/cni-interface.ts";
import { FakeCluster } from "../testing/fake-cluster.ts";
import { selectedPods, selects } from "./selection.ts";

const ready = [{ type: "Ready", status: "True" }];
const edge = { edge: "yes" };

function clusterWith(cnfSelector: LabelSelectorSpec | undefined) {
  const cluster = new FakeCluster();
  const put = (name: string, labels: Record<string, string>, status: object, namespace = "cnfs", more: object = {}) =>
    cluster.put(Pod, { metadata: { name, namespace, labels, ...more }, spec: { containers: [] }, status } as never);
  put("second", edge, { phase: "Running", conditions: ready });
  put("first", edge, { phase: "Running", conditions: ready });
  put("third", edge, { phase: "Running", conditions: ready });
  put("other", { edge: "no" }, { phase: "Running", conditions: ready });
  put("unready", edge, { phase: "Running", conditions: [{ type: "Ready", status: "False" }] });
  put("ended", edge, { phase: "Failed", conditions: ready });
  put("going", edge, { phase: "Running", conditions: ready }, "cnfs", { deletionTimestamp: "2026-01-01T00:00:00Z" });
  put("elsewhere", edge, { phase: "Running", conditions: ready }, "others");
  const spec = { name: "net2", ...(cnfSelector ? { cnfSelector } : {}) };
  cluster.put(CniInterface, { metadata: { name: "a", namespace: "cnfs" }, spec } as never);
  const object = cluster.peek(CniInterface, "cnfs/a");
  if (!object) throw new Error("it is there");
  return { cluster, object };
}

describe("pods that a CniInterface selects", () => {
  it.each<[string, LabelSelectorSpec | undefined, readonly string[]]>([
    ["labels", { matchLabels: edge }, ["first", "second", "third"]],
    ["expressions", { matchExpressions: [{ key: "edge", operator: "In", values: ["no"] }] }, ["other"]],
    [
      "both",
      { matchLabels: edge, matchExpressions: [{ key: "edge", operator: "Exists" }] },
      ["first", "second", "third"],
    ],
    ["nothing", {}, []],
    ["no labels and no expressions", { matchLabels: {}, matchExpressions: [] }, []],
    ["no selector", undefined, []],
  ])("are the ready pods in its namespace, by name: by %s", async (_what, selector, names) => {
    const { cluster, object } = clusterWith(selector);
    const pods = await selectedPods(object, cluster.client);
    expect(pods.map(({ metadata }) => metadata.name)).toEqual(names);
    const present = ["first", "second", "third", "other"].flatMap((name) => cluster.peek(Pod, `cnfs/${name}`) ?? []);
    expect(present.filter((pod) => selects(object, pod)).map(({ metadata }) => metadata.name)).toEqual(names);
  });

  it("are empty if its selector is not valid; the object's own status reports that", async () => {
    const wrong = { matchExpressions: [{ key: "edge", operator: "Sometimes" as never }] };
    const { cluster, object } = clusterWith(wrong);
    await expect(selectedPods(object, cluster.client)).rejects.toThrow();
    const pod = cluster.peek(Pod, "cnfs/first");
    expect(pod && selects(object, pod)).toBe(false);
  });
});
