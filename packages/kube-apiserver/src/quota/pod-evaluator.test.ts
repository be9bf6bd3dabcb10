import type { KubeObject } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { formatResourceList } from "../kinds/resource-list.ts";
import { podEvaluator } from "./pod-evaluator.ts";

const pod = (spec: object, more: { metadata?: object; status?: object } = {}): KubeObject => {
  const { metadata = {}, status = {} } = more;
  const object = { apiVersion: "v1", kind: "Pod", metadata: { name: "p", ...metadata }, spec, status };
  return object;
};
const container = (requests: Record<string, string>, limits: Record<string, string> = {}, name = "c") => ({
  name,
  resources: { requests, limits },
});
const usage = (object: KubeObject, nowMs = 0) => formatResourceList(podEvaluator.usage(object, nowMs));
const counted = { "count/pods": "1", pods: "1" };

/** @see pkg/quota/v1/evaluator/core pods_test.go TestPodEvaluatorUsage */
describe("a pod uses", () => {
  it.each<[string, readonly object[], Record<string, string>]>([
    ["its place", [], {}],
    ["cpu", [container({ cpu: "1m" }, { cpu: "2m" })], { cpu: "1m", "requests.cpu": "1m", "limits.cpu": "2m" }],
    [
      "memory",
      [container({ memory: "1" }, { memory: "2" })],
      { memory: "1", "requests.memory": "1", "limits.memory": "2" },
    ],
    [
      "storage of its node",
      [container({ "ephemeral-storage": "1" }, { "ephemeral-storage": "2" })],
      { "ephemeral-storage": "1", "requests.ephemeral-storage": "1", "limits.ephemeral-storage": "2" },
    ],
    [
      "hugepages",
      [container({ "hugepages-2Mi": "1" }, { "hugepages-2Mi": "1" })],
      { "hugepages-2Mi": "1", "requests.hugepages-2Mi": "1" },
    ],
    [
      "extended resources",
      [container({ "example.com/gpu": "3" }, { "example.com/gpu": "3" })],
      { "requests.example.com/gpu": "3" },
    ],
    [
      "devices of a class",
      [container({ "deviceclass.resource.kubernetes.io/gold": "2" })],
      { "requests.deviceclass.resource.kubernetes.io/gold": "2" },
    ],
    [
      "nothing of other names",
      [container({ "kubernetes.io/x": "1", storage: "1", "requests.example.com/gpu": "1" })],
      {},
    ],
  ])("%s", (_what, containers, expected) => {
    expect(usage(pod({ containers }))).toEqual({ ...counted, ...expected });
  });

  const spec = { containers: [container({ cpu: "1" })] };
  const cpu = { cpu: "1", "requests.cpu": "1" };
  const deleted = { deletionTimestamp: "2026-01-01T00:00:10Z", deletionGracePeriodSeconds: 10 };
  const at = (seconds: number) => Date.parse("2026-01-01T00:00:00Z") + seconds * 1_000;
  it.each<[string, { metadata?: object; status?: object }, number, boolean]>([
    ["while it runs", { status: { phase: "Running" } }, 0, true],
    ["once it has failed", { status: { phase: "Failed" } }, 0, false],
    ["once it has succeeded", { status: { phase: "Succeeded" } }, 0, false],
    ["while it is being deleted", { metadata: deleted }, at(20), true],
    ["when its grace period is over", { metadata: deleted }, at(20.001), false],
    ["while it is deleted without one", { metadata: { deletionTimestamp: deleted.deletionTimestamp } }, at(99), true],
    ["while it is not deleted", { metadata: { deletionGracePeriodSeconds: 0 } }, at(99), true],
  ])("its requests %s: (%#)", (_when, more, nowMs, uses) => {
    expect(usage(pod(spec, more), nowMs)).toEqual(uses ? { ...counted, ...cpu } : { "count/pods": "1" });
  });
});

/** @see pkg/quota/v1/evaluator/core pods_test.go TestPodConstraintsFunc */
describe("if a quota counts a resource, every container must specify it", () => {
  const demanded = ["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];
  it.each<[string, readonly string[], object, string | undefined]>([
    ["the counted resources", ["cpu"], { containers: [container({ cpu: "1" })] }, undefined],
    ["each of it", ["cpu", "memory"], { containers: [container({ cpu: "1" })] }, "must specify memory for: c"],
    [
      "in all containers",
      ["cpu"],
      { containers: [container({}, {}, "b"), container({}, {}, "a")] },
      "must specify cpu for: a,b",
    ],
    [
      "in init containers",
      ["limits.cpu"],
      { initContainers: [container({ cpu: "1" }, {}, "i")], containers: [container({}, { cpu: "1" })] },
      "must specify limits.cpu for: i",
    ],
    [
      "everything, sorted",
      [...demanded].reverse(),
      { containers: [container({})] },
      `must specify ${demanded
        .toSorted()
        .map((name) => `${name} for: c`)
        .join("; ")}`,
    ],
    [
      "nothing else",
      ["pods", "ephemeral-storage", "requests.example.com/gpu"],
      { containers: [container({})] },
      undefined,
    ],
    [
      "nothing if the pod does",
      ["cpu"],
      { containers: [container({})], resources: { requests: { memory: "1" } } },
      undefined,
    ],
    [
      "nothing if the pod has a limit",
      ["cpu"],
      { containers: [container({})], resources: { limits: { "hugepages-2Mi": "1" } } },
      undefined,
    ],
    [
      "it if the pod specifies nothing",
      ["cpu"],
      { containers: [container({})], resources: { requests: {}, limits: {} } },
      "must specify cpu for: c",
    ],
    [
      "it if the pod specifies an unsupported resource",
      ["cpu"],
      { containers: [container({})], resources: { requests: { storage: "1" } } },
      "must specify cpu for: c",
    ],
  ])("%s", (_what, resources, spec, complaint) => {
    expect(podEvaluator.constraint(resources, pod(spec))).toBe(complaint);
  });
});

it("counts under these names", () => {
  const amounts = ["cpu", "memory", "ephemeral-storage"];
  const names = [
    "count/pods",
    "pods",
    ...amounts,
    ...amounts.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
    "hugepages-2Mi",
    "requests.hugepages-2Mi",
    "requests.example.com/gpu",
    "requests.deviceclass.resource.kubernetes.io/gold",
  ];
  const others = [
    "services",
    "limits.hugepages-2Mi",
    "example.com/gpu",
    "requests.storage",
    "requests.kubernetes.io/x",
  ];
  expect(podEvaluator.matchingResources([...names, ...others])).toEqual(names);
});

describe("a write may change the count", () => {
  const plain = pod({});
  const bounded = pod({ activeDeadlineSeconds: 0 });
  it.each<[string, string, KubeObject | undefined, KubeObject | undefined, boolean]>([
    ["CREATE", "", plain, undefined, true],
    ["UPDATE", "", plain, plain, false],
    ["UPDATE", "", bounded, bounded, false],
    ["UPDATE", "", bounded, plain, true],
    ["UPDATE", "", plain, bounded, true],
    ["UPDATE", "", bounded, undefined, false],
    ["UPDATE", "", undefined, bounded, false],
    ["DELETE", "", undefined, plain, false],
    ["UPDATE", "resize", plain, plain, true],
    ["CREATE", "resize", plain, undefined, false],
    ["UPDATE", "status", bounded, plain, false],
  ])("%s %s (%#)", (operation, subresource, object, oldObject, handled) => {
    expect(podEvaluator.handles({ operation, subresource, object, oldObject })).toBe(handled);
  });
});

/** @see pkg/quota/v1/evaluator/core pods_test.go TestPodEvaluatorMatchingScopes */
describe("the scope contains", () => {
  const term = { topologyKey: "zone" };
  const far = { ...term, namespaces: ["other"] };
  const affinity = (kind: string, how: "required" | "preferred", one: object) => ({
    affinity: {
      [kind]:
        how === "required"
          ? { requiredDuringSchedulingIgnoredDuringExecution: [term, one] }
          : { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: one }] },
    },
  });
  it.each<[string, object, boolean]>([
    ["Terminating", { activeDeadlineSeconds: 0 }, true],
    ["Terminating", {}, false],
    ["NotTerminating", { activeDeadlineSeconds: 1 }, false],
    ["NotTerminating", {}, true],
    ["BestEffort", { containers: [container({})] }, true],
    ["BestEffort", { containers: [container({ cpu: "1" })] }, false],
    ["NotBestEffort", { containers: [container({})] }, false],
    ["NotBestEffort", { containers: [container({ cpu: "1" })] }, true],
    ["PriorityClass", { priorityClassName: "high" }, true],
    ["PriorityClass", { priorityClassName: "" }, false],
    ["PriorityClass", {}, false],
    ["CrossNamespacePodAffinity", {}, false],
    ["CrossNamespacePodAffinity", affinity("podAffinity", "required", term), false],
    ["CrossNamespacePodAffinity", affinity("podAffinity", "required", far), true],
    ["CrossNamespacePodAffinity", affinity("podAffinity", "required", { ...term, namespaces: [] }), false],
    ["CrossNamespacePodAffinity", affinity("podAffinity", "required", { ...term, namespaceSelector: {} }), true],
    ["CrossNamespacePodAffinity", affinity("podAffinity", "preferred", far), true],
    ["CrossNamespacePodAffinity", affinity("podAffinity", "preferred", term), false],
    ["CrossNamespacePodAffinity", affinity("podAntiAffinity", "required", far), true],
    ["CrossNamespacePodAffinity", affinity("podAntiAffinity", "preferred", far), true],
    ["Somewhere", { activeDeadlineSeconds: 0, priorityClassName: "high" }, false],
  ])("%s (%#)", (scopeName, spec, inScope) => {
    expect(podEvaluator.isInScope({ scopeName, operator: "Exists" }, pod(spec))).toBe(inScope);
  });
});

it("a quota counts the current resources of a pod while it shrinks", () => {
  const status = { containerStatuses: [{ name: "c", resources: { requests: { cpu: "3" }, limits: { cpu: "4" } } }] };
  expect(usage(pod({ containers: [container({ cpu: "1" }, { cpu: "2" })] }, { status }))).toEqual({
    ...counted,
    cpu: "3",
    "requests.cpu": "3",
    "limits.cpu": "4",
  });
});
