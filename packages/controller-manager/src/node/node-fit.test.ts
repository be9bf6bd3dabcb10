import type { Node, Pod } from "@kubewright/client/kinds";
import { describe, expect, it } from "vitest";
import { misfitOf } from "./node-fit.ts";
import { leastHarm, victimsFor } from "./preemption.ts";

const node = (changes: Partial<Pick<Node, "metadata" | "spec">> = {}): Node => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "a", labels: { zone: "north" } },
  status: { allocatable: { cpu: "2", memory: "1Gi" } },
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
  it("is refused by labels and affinity that it does not have", () => {
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

  it("repels with its taints those that do not tolerate them", () => {
    const tainted = node({ spec: { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] } });
    expect(misfitOf(pod("p"), tainted, [])?.reason).toBe("node(s) had untolerated taint {gpu: yes}");
    expect(misfitOf(pod("p", { tolerations: [{ key: "gpu", operator: "Exists" }] }), tainted, [])).toBeUndefined();
  });

  it("takes only as much as it has room for", () => {
    expect(misfitOf(asking("p", "1500m"), node(), [asking("q", "500m")])).toBeUndefined();
    expect(misfitOf(asking("p", "1500m"), node(), [asking("q", "501m")])?.reason).toBe("Insufficient cpu");
  });

  it("gives a host port to one pod for each of its addresses", () => {
    expect(misfitOf(onPort("p", 80, "127.0.0.1"), node(), [onPort("q", 80, "127.0.0.2")])).toBeUndefined();
    expect(misfitOf(onPort("p", 80, "127.0.0.1"), node(), [onPort("q", 80)])).toBeDefined();
  });
});

describe("an important pod", () => {
  it("displaces as few others as it must, the least important first", () => {
    const low = asking("low", "1", { priority: 1 });
    const middle = asking("middle", "1", { priority: 5 });
    expect(victimsFor(asking("p", "1", { priority: 10 }), node(), [middle, low])).toEqual([low]);
    expect(victimsFor(asking("p", "2", { priority: 10 }), node(), [middle, low])).toEqual([middle, low]);
  });

  it("displaces nobody in vain, nor when it may not", () => {
    const low = asking("low", "1", { priority: 1 });
    expect(victimsFor(asking("p", "3", { priority: 10 }), node(), [low])).toBeUndefined();
    expect(victimsFor(asking("p", "2", { priority: 10, preemptionPolicy: "Never" }), node(), [low])).toBeUndefined();
  });
});

it("less important pods go before more important ones, wherever they are", () => {
  const of = (name: string, priority: number): Pod => pod(name, { priority });
  const dear = { node: "a", victims: [of("p", 1_000)] };
  const cheap = { node: "b", victims: [of("q", 100), of("r", 100)] };
  const cheaper = { node: "c", victims: [of("s", 100)] };
  expect(leastHarm([dear, cheap, cheaper])).toBe(cheaper);
  expect(leastHarm([dear, cheap])).toBe(cheap);
  expect(leastHarm([])).toBeUndefined();
});
