import type { Unstructured } from "@kubewright/apimachinery";
import { type AdmissionAttributes, type AdmissionPlugin, Reinvocation } from "@kubewright/apiserver/admission";
import { describe, expect, it } from "vitest";
import { refusedNodeLabels } from "./node-labels.ts";
import { podTopologyLabels } from "./pod-topology-labels.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";

async function admit(plugin: AdmissionPlugin, resource: string, object: Unstructured | undefined, more: object = {}) {
  const attributes: AdmissionAttributes = {
    operation: "CREATE",
    resource: { group: "", version: "v1", resource },
    subresource: "",
    kind: { group: "", version: "v1", kind: "Thing" },
    namespace: "",
    name: "x",
    object,
    oldObject: undefined,
    options: {},
    dryRun: false,
    user: { name: "jane", groups: [] },
    warn() {},
    ...more,
  };
  await plugin.admit?.(attributes, new Reinvocation());
  return object;
}
const thing = (more: object = {}): Unstructured => ({ apiVersion: "v1", kind: "T", metadata: { name: "x" }, ...more });

/** @see kubernetes plugin/pkg/admission/nodetaint */
describe("a new node is tainted", () => {
  const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" };
  const taints = async (spec: unknown, more: object = {}) =>
    ((await admit(taintNodesByCondition, "nodes", thing({ spec }), more))?.spec as { taints?: unknown })?.taints;

  it.each<[unknown, unknown]>([
    [undefined, [notReady]],
    [{ taints: [] }, [notReady]],
    [{ taints: [{ key: "a", effect: "NoExecute" }] }, [{ key: "a", effect: "NoExecute" }, notReady]],
    [{ taints: [notReady] }, [notReady]],
    [{ taints: [{ ...notReady, effect: "NoExecute" }] }, [{ ...notReady, effect: "NoExecute" }, notReady]],
    [{ taints: [{ ...notReady, key: "b" }] }, [{ ...notReady, key: "b" }, notReady]],
  ])("with %j", async (spec, after) => {
    expect(await taints(spec)).toEqual(after);
  });

  it("but not other objects, nor on update", async () => {
    expect(await taints({}, { subresource: "status" })).toBeUndefined();
    expect(await taints({}, { resource: { group: "g", version: "v1", resource: "nodes" } })).toBeUndefined();
    expect(await taints({}, { resource: { group: "", version: "v1", resource: "pods" } })).toBeUndefined();
    expect(await admit(taintNodesByCondition, "nodes", undefined)).toBeUndefined();
    const handled = (["CREATE", "UPDATE", "DELETE", "CONNECT"] as const).filter((o) =>
      taintNodesByCondition.handles(o),
    );
    expect([handled, taintNodesByCondition.resources]).toEqual([["CREATE"], ["nodes"]]);
  });
});

/** @see kubernetes plugin/pkg/admission/podtopologylabels */
describe("a pod gets its node's region and zone", () => {
  const [zone, region] = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];
  const nodes: Readonly<Record<string, Unstructured>> = {
    n: thing({ metadata: { name: "n", labels: { [zone]: "z", [region]: "r", "topology.kubernetes.io/rack": "k" } } }),
    zoned: thing({ metadata: { name: "zoned", labels: { [zone]: "z" } } }),
    bare: thing(),
  };
  const asked: string[] = [];
  const plugin = podTopologyLabels(async (name) => {
    asked.push(name);
    return nodes[name];
  });
  const labels = async (pod: Unstructured, more: object = {}) =>
    (await admit(plugin, "pods", pod, more))?.metadata.labels ?? {};
  const binding = { subresource: "binding" };

  it.each<[object, object, object]>([
    [{ spec: { nodeName: "n" } }, {}, { [zone]: "z", [region]: "r" }],
    [
      { spec: { nodeName: "n" }, metadata: { name: "x", labels: { a: "b", [zone]: "mine" } } },
      {},
      { a: "b", [zone]: "z", [region]: "r" },
    ],
    [{ spec: { nodeName: "zoned" } }, {}, { [zone]: "z" }],
    [{ spec: { nodeName: "bare" } }, {}, {}],
    [{ spec: { nodeName: "gone" } }, {}, {}],
    [{ target: { kind: "Node", name: "n" } }, binding, { [zone]: "z", [region]: "r" }],
    [{ target: { name: "n" } }, binding, { [zone]: "z", [region]: "r" }],
    [{ target: { kind: "", name: "n" } }, binding, { [zone]: "z", [region]: "r" }],
    [{ target: { kind: "Site", name: "n" } }, binding, {}],
    [{ spec: { nodeName: "n" } }, { subresource: "status" }, {}],
    [{ spec: { nodeName: "n" } }, { resource: { group: "g", version: "v1", resource: "pods" } }, {}],
    [{ spec: { nodeName: "n" } }, { resource: { group: "", version: "v1", resource: "nodes" } }, {}],
  ])("%j %j", async (pod, more, after) => {
    expect(await labels(thing(pod), more)).toEqual(after);
  });

  it("without a node, no lookup happens", async () => {
    asked.length = 0;
    for (const pod of [{}, { spec: {} }, { spec: { nodeName: "" } }, { spec: { nodeName: 1 } }])
      await labels(thing(pod));
    for (const target of [undefined, {}, { kind: "Node", name: "" }]) await labels(thing({ target }), binding);
    expect(asked).toEqual([]);
    expect((["CREATE", "UPDATE", "DELETE", "CONNECT"] as const).filter((o) => plugin.handles(o))).toEqual(["CREATE"]);
  });
});

/** @see kubernetes plugin/pkg/admission/noderestriction getForbiddenLabels, pkg/kubelet/apis IsKubeletLabel */
describe("a node may set on itself", () => {
  it.each([
    "a",
    "kubernetes.iox",
    "example.com/a",
    "notkubernetes.io/a",
    "kubernetes.io.example.com/a",
    "kubelet.kubernetes.io/a",
    "x.kubelet.kubernetes.io/a",
    "node.kubernetes.io/a",
    "x.node.kubernetes.io/a",
    "kubernetes.io/hostname",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "beta.kubernetes.io/instance-type",
    "node.kubernetes.io/instance-type",
    "kubernetes.io/os",
    "kubernetes.io/arch",
    "beta.kubernetes.io/os",
    "beta.kubernetes.io/arch",
  ])("%s", (name) => {
    expect(refusedNodeLabels({ [name]: "1" }, {})).toEqual([]);
    expect(refusedNodeLabels({}, { [name]: "1" })).toEqual([]);
  });

  it.each([
    "node-restriction.kubernetes.io/a",
    "x.node-restriction.kubernetes.io/a",
    "kubernetes.io/a",
    "k8s.io/a",
    "x.k8s.io/a",
    "x.kubernetes.io/a",
    "topology.kubernetes.io/rack",
    "node-role.kubernetes.io/control-plane",
  ])("but not %s", (name) => {
    expect(refusedNodeLabels({ [name]: "1", a: "2" }, {})).toEqual([name]);
    expect(refusedNodeLabels({ [name]: "2" }, { [name]: "1" })).toEqual([name]);
    expect(refusedNodeLabels({}, { [name]: "1" })).toEqual([name]);
    expect(refusedNodeLabels({ [name]: "1" }, { [name]: "1" })).toEqual([]);
  });

  it("and rejected labels are listed in order", () => {
    expect(refusedNodeLabels({ "k8s.io/b": "1", "k8s.io/a": "1" }, { "k8s.io/c": "1" })).toEqual([
      "k8s.io/a",
      "k8s.io/b",
      "k8s.io/c",
    ]);
  });
});
