import type { Node, Pod } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { misfitOf } from "./node-fit.ts";
import { leastHarm, victimsFor } from "./preemption.ts";

const node = (changes: Partial<Pick<Node, "metadata" | "spec">> = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "a", labels: { zone: "north" } },
  status: { allocatable: { cpu: "2", memory: "1Gi", pods: "110" } },
  ...changes,
});

const pod = (name: string, spec: Partial<Pod["spec"]> = {}): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "main", image: "web" }], ...spec },
});

const asking = (name: string, cpu: string, spec: Partial<Pod["spec"]> = {}): Pod =>
  pod(name, { containers: [{ name: "main", image: "web", resources: { requests: { cpu } } }], ...spec });

const onPort = (name: string, hostPort: number, hostIP?: string): Pod =>
  pod(name, {
    containers: [
      { name: "main", image: "web", ports: [{ containerPort: 80, hostPort, ...(hostIP ? { hostIP } : {}) }] },
    ],
  });

describe("a node", () => {
  it("is rejected without the required labels and affinity", () => {
    expect(misfitOf(pod("p", { nodeSelector: { zone: "south" } }), node(), [])).toBeDefined();
    const near = (operator: string, values: string[]): Pod =>
      pod("p", {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator, values }] }],
            },
          },
        },
      });
    expect(misfitOf(near("In", ["north"]), node(), [])).toBeUndefined();
    expect(misfitOf(near("NotIn", ["north"]), node(), [])).toBeDefined();
  });

  it("repels pods that do not tolerate its taints", () => {
    const tainted = node({ spec: { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] } });
    expect(misfitOf(pod("p"), tainted, [])?.reason).toBe("node(s) had untolerated taint {gpu: yes}");
    expect(misfitOf(pod("p", { tolerations: [{ key: "gpu", operator: "Exists" }] }), tainted, [])).toBeUndefined();
  });

  it("accepts only as many pods as it has resources for", () => {
    expect(misfitOf(asking("p", "1500m"), node(), [asking("q", "500m")])).toBeUndefined();
    expect(misfitOf(asking("p", "1500m"), node(), [asking("q", "501m")])?.reason).toBe("Insufficient cpu");
  });

  it("assigns a host port to one pod per address", () => {
    expect(misfitOf(onPort("p", 80, "127.0.0.1"), node(), [onPort("q", 80, "127.0.0.2")])).toBeUndefined();
    expect(misfitOf(onPort("p", 80, "127.0.0.1"), node(), [onPort("q", 80)])).toBeDefined();
  });
});

const onPorts = (name: string, ...ports: readonly { hostPort?: number; hostIP?: string; protocol?: string }[]): Pod =>
  pod(name, {
    containers: [{ name: "main", image: "web", ports: ports.map((port) => ({ containerPort: 80, ...port })) }],
  });

it.each([
  ["of one protocol", { hostPort: 80, protocol: "UDP" }, { hostPort: 80, protocol: "UDP" }, true],
  ["of two protocols", { hostPort: 80, protocol: "UDP" }, { hostPort: 80, protocol: "TCP" }, false],
  ["of default protocol and of TCP", { hostPort: 80 }, { hostPort: 80, protocol: "TCP" }, true],
  ["of UDP next to one of the default protocol", { hostPort: 80, protocol: "UDP" }, { hostPort: 80 }, false],
  ["that differ", { hostPort: 80 }, { hostPort: 81 }, false],
  ["of one address", { hostPort: 80, hostIP: "10.0.0.1" }, { hostPort: 80, hostIP: "10.0.0.1" }, true],
  ["of two addresses", { hostPort: 80, hostIP: "10.0.0.1" }, { hostPort: 80, hostIP: "10.0.0.2" }, false],
  ["of an address and of all", { hostPort: 80, hostIP: "10.0.0.1" }, { hostPort: 80, hostIP: "0.0.0.0" }, true],
  ["of all and of an address", { hostPort: 80 }, { hostPort: 80, hostIP: "10.0.0.1" }, true],
  ["of all and of no address", { hostPort: 80, hostIP: "0.0.0.0" }, { hostPort: 80, hostIP: "" }, true],
  ["that are not host ports", {}, {}, false],
])("host ports %s conflict, or not", (_what, wanted, taken, clash) => {
  const misfit = misfitOf(onPorts("p", { hostPort: 9 }, wanted), node(), [onPorts("q", taken)]);
  expect(misfit?.rejection).toBe(clash ? "NodePorts" : undefined);
});

it.each([
  ["the last one in use", "1", pod("p"), [pod("q")], "Too many pods"],
  ["none", "0", pod("p"), [], "Too many pods"],
  ["an unknown number", undefined, pod("p"), [], "Too many pods"],
  ["one more", "2", pod("p"), [pod("q")], undefined],
  ["this many, whatever else is short", "1", asking("p", "3"), [pod("q")], "Too many pods"],
  ["one more that asks for too much", "2", asking("p", "3"), [pod("q")], "Insufficient cpu"],
])("a node accepts %s", (_what, pods, each, neighbours, reason) => {
  const allocatable = { cpu: "2", ...(pods === undefined ? {} : { pods }) };
  const misfit = misfitOf(each, { ...node(), status: { allocatable } }, neighbours);
  expect(misfit?.reason).toBe(reason);
  if (reason === "Too many pods") expect(misfit).toMatchObject({ isForPods: true, rejection: "OutOfpods" });
});

const unschedulable = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" as const };
const ownedBy = (kind: string, controller: boolean): Pod => ({
  ...pod("p"),
  metadata: { name: "p", ownerReferences: [{ apiVersion: "apps/v1", kind, name: "o", uid: "u", controller }] },
});
it.each<[string, Pod, Node["spec"], boolean]>([
  ["any pod, on a schedulable node", pod("p"), {}, true],
  ["any pod", pod("p"), { unschedulable: true }, false],
  ["a pod of a daemon set", ownedBy("DaemonSet", true), { unschedulable: true, taints: [unschedulable] }, true],
  ["a pod that a daemon set does not control", ownedBy("DaemonSet", false), { unschedulable: true }, false],
  ["a pod of another set", ownedBy("ReplicaSet", true), { unschedulable: true }, false],
  ["any pod, by its taint", pod("p"), { taints: [unschedulable] }, false],
  [
    "a pod of a daemon set, tainted otherwise",
    ownedBy("DaemonSet", true),
    { taints: [{ ...unschedulable, key: "gpu" }] },
    false,
  ],
])("an unschedulable node accepts %s, or not", (_what, each, spec, takes) => {
  expect(misfitOf(each, node(spec ? { spec } : {}), []) === undefined).toBe(takes);
});

it("a resource that a node lacks is unavailable", () => {
  const gpus = pod("p", { containers: [{ name: "c", resources: { requests: { "example.com/gpu": "1" } } }] });
  expect(misfitOf(gpus, node(), [])?.reason).toBe("Insufficient example.com/gpu");
});

describe("an important pod", () => {
  it("displaces as few others as possible, the least important first", () => {
    const low = asking("low", "1", { priority: 1 });
    const middle = asking("middle", "1", { priority: 5 });
    expect(victimsFor(asking("p", "1", { priority: 10 }), node(), [middle, low])).toEqual([low]);
    const equal = asking("a", "1", { priority: 1 });
    for (const neighbours of [
      [equal, low],
      [low, equal],
    ])
      expect(victimsFor(asking("p", "1", { priority: 10 }), node(), neighbours)).toEqual([low]); // by name, not by list order
    expect(victimsFor(asking("p", "2", { priority: 10 }), node(), [middle, low])).toEqual([middle, low]);
  });

  it("displaces no pod in vain, nor if it may not", () => {
    const low = asking("low", "1", { priority: 1 });
    expect(victimsFor(asking("p", "3", { priority: 10 }), node(), [low])).toBeUndefined();
    expect(victimsFor(asking("p", "2", { priority: 10, preemptionPolicy: "Never" }), node(), [low])).toBeUndefined();
  });
});

it("less important pods are displaced before more important ones, on any node", () => {
  const of = (name: string, priority: number): Pod => pod(name, { priority });
  const dear = { node: "a", victims: [of("p", 1_000)] };
  const cheap = { node: "b", victims: [of("q", 100), of("r", 100)] };
  const cheaper = { node: "c", victims: [of("s", 100)] };
  expect(leastHarm([dear, cheap, cheaper])).toBe(cheaper);
  expect(leastHarm([dear, cheap])).toBe(cheap);
  expect(leastHarm([])).toBeUndefined();
});
