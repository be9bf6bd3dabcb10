import type { KubeObject } from "@kubewright/apimachinery";
import { expect, it } from "vitest";
import { formatResourceList } from "../kinds/resource-list.ts";
import { calculateUsage } from "./calculate-usage.ts";
import { evaluatorOf } from "./evaluators.ts";
import type { QuotaEvaluator } from "./quota-evaluator.ts";

const evaluatorFor = (group: string, resource: string): QuotaEvaluator => {
  const evaluator = evaluatorOf(group, resource);
  if (!evaluator) throw new Error(`${resource} is counted`);
  return evaluator;
};
const objectOf = (spec: object, more: object): KubeObject => {
  const object = { apiVersion: "v1", kind: "Thing", metadata: { name: "x" }, spec, ...more };
  return object;
};
const usage = (resource: string, spec: object, more: object = {}): Record<string, string> =>
  formatResourceList(evaluatorFor("", resource).usage(objectOf(spec, more), 0));

it("counts a pod's requests: the sum of its containers, or the maximum of an init container", () => {
  const requests = (cpu: string) => ({ name: "c", resources: { requests: { cpu }, limits: { memory: "1Mi" } } });
  const spec = { containers: [requests("100m"), requests("200m")], initContainers: [requests("500m")] };
  expect(usage("pods", spec)).toEqual({
    "count/pods": "1",
    pods: "1",
    cpu: "500m",
    "requests.cpu": "500m",
    "limits.memory": "2Mi",
  });
  expect(usage("pods", spec, { status: { phase: "Succeeded" } })).toEqual({ "count/pods": "1" });
});

it("counts node ports and load balancers of services, and the storage of claims by class", () => {
  expect(usage("services", { type: "LoadBalancer", ports: [{}, {}] })).toEqual({
    "count/services": "1",
    services: "1",
    "services.loadbalancers": "1",
    "services.nodeports": "2",
  });
  expect(
    usage("persistentvolumeclaims", { storageClassName: "gold", resources: { requests: { storage: "1Gi" } } }),
  ).toEqual({
    "count/persistentvolumeclaims": "1",
    persistentvolumeclaims: "1",
    "requests.storage": "1Gi",
    "gold.storageclass.storage.k8s.io/persistentvolumeclaims": "1",
    "gold.storageclass.storage.k8s.io/requests.storage": "1Gi",
  });
});

it("counts any resource by its name, but not events", async () => {
  const widgets = evaluatorFor("example.com", "widgets");
  const quota = { metadata: { name: "q" }, spec: { hard: { "count/widgets.example.com": "5", pods: "1" } } };
  const content = { objectsOf: async () => [], countOf: async () => 3 };
  const used = await calculateUsage(quota, [widgets, evaluatorFor("", "pods")], content, 0);
  expect(formatResourceList(used)).toEqual({ "count/widgets.example.com": "3", pods: "0" });
  expect(evaluatorOf("", "events")).toBeUndefined();
});

it("counts claims of devices, and by class the maximum number of devices", async () => {
  const claims = evaluatorFor("resource.k8s.io", "resourceclaims");
  const ask = (deviceClassName: string, allocationMode: string, more: object = {}) => ({
    deviceClassName,
    allocationMode,
    ...more,
  });
  const claim = objectOf(
    {
      devices: {
        requests: [
          { name: "some", exactly: ask("gold", "ExactCount", { count: 2 }) },
          { name: "watched", exactly: ask("gold", "ExactCount", { count: 1, adminAccess: true }) },
          { name: "every", exactly: ask("tin", "All") },
          {
            name: "either",
            firstAvailable: [
              ask("gold", "ExactCount", { count: 4 }),
              ask("gold", "ExactCount", { count: 3 }),
              ask("zinc", "All"),
              ask("zinc", "ExactCount", { count: 1 }),
            ],
          },
          { name: "later", exactly: ask("gold", "Sometimes", { count: 9 }) },
          { name: "unknown" },
        ],
      },
    },
    {},
  );
  const used = {
    "count/resourceclaims.resource.k8s.io": "1",
    "gold.deviceclass.resource.k8s.io/devices": "7",
    "tin.deviceclass.resource.k8s.io/devices": "32",
    "zinc.deviceclass.resource.k8s.io/devices": "32",
  };
  expect(formatResourceList(claims.usage(claim, 0))).toEqual(used);
  const hard = { ...used, "lead.deviceclass.resource.k8s.io/devices": "1", pods: "1" };
  const content = { objectsOf: async () => [claim, claim], countOf: async () => 0 };
  expect(
    formatResourceList(await calculateUsage({ metadata: { name: "q" }, spec: { hard } }, [claims], content, 0)),
  ).toEqual({
    "count/resourceclaims.resource.k8s.io": "2",
    "gold.deviceclass.resource.k8s.io/devices": "14",
    "lead.deviceclass.resource.k8s.io/devices": "0",
    "tin.deviceclass.resource.k8s.io/devices": "64",
    "zinc.deviceclass.resource.k8s.io/devices": "64",
  });
});

it.each([
  ["", "configmaps", ["count/configmaps", "configmaps"]],
  ["", "resourcequotas", ["count/resourcequotas", "resourcequotas"]],
  ["", "replicationcontrollers", ["count/replicationcontrollers", "replicationcontrollers"]],
  ["", "secrets", ["count/secrets", "secrets"]],
  ["", "serviceaccounts", ["count/serviceaccounts"]],
  ["apps", "deployments", ["count/deployments.apps"]],
  ["example.com", "secrets", ["count/secrets.example.com"]],
])("counts objects of %s/%s by %j on create", (group, resource, names) => {
  const evaluator = evaluatorFor(group, resource);
  const all = [...names, "count/pods", "pods", "serviceaccounts", "deployments", "services"];
  expect(evaluator.matchingResources(all)).toEqual(names);
  expect(evaluator.countedAs).toEqual(names);
  expect(formatResourceList(evaluator.usage(objectOf({}, {}), 0))).toEqual(
    Object.fromEntries(names.map((name) => [name, "1"])),
  );
  expect(evaluator.isInScope({ scopeName: "Terminating", operator: "Exists" }, objectOf({}, {}))).toBe(false);
  expect(evaluator.constraint(names, objectOf({}, {}))).toBeUndefined();
  const handles = (operation: string, subresource = "") =>
    evaluator.handles({ operation, subresource, object: undefined, oldObject: undefined });
  expect([handles("CREATE"), handles("UPDATE"), handles("CREATE", "status")]).toEqual([true, false, false]);
});

it("ignores events, by either name", () => {
  expect([evaluatorOf("", "events"), evaluatorOf("events.k8s.io", "events")]).toEqual([undefined, undefined]);
});

it("counts only the claim itself if it requests no devices", () => {
  const claims = evaluatorFor("resource.k8s.io", "resourceclaims");
  const own = { "count/resourceclaims.resource.k8s.io": "1" };
  expect(formatResourceList(claims.usage(objectOf({}, {}), 0))).toEqual(own);
  expect(formatResourceList(claims.usage(objectOf({ devices: {} }, {}), 0))).toEqual(own);
  const unspecified = { devices: { requests: [{ exactly: { allocationMode: "ExactCount" } }] } };
  expect(formatResourceList(claims.usage(objectOf(unspecified, {}), 0))).toEqual({
    ...own,
    ".deviceclass.resource.k8s.io/devices": "0",
  });
  const handles = (operation: string, subresource = "") =>
    claims.handles({ operation, subresource, object: undefined, oldObject: undefined });
  expect([handles("CREATE"), handles("UPDATE"), handles("DELETE"), handles("UPDATE", "status")]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(claims.isInScope({ scopeName: "Terminating", operator: "Exists" }, objectOf({}, {}))).toBe(false);
  expect(claims.constraint([], objectOf({}, {}))).toBeUndefined();
});

it("counts objects in all scopes of a quota, and only countable ones in none", async () => {
  const bounded = objectOf({ activeDeadlineSeconds: 1, priorityClassName: "high" }, {});
  const content = {
    objectsOf: async () => [bounded, objectOf({ activeDeadlineSeconds: 1 }, {}), objectOf({}, {})],
    countOf: async () => 3,
  };
  const counted = async (spec: object) => {
    const quota = { metadata: { name: "q" }, spec: { hard: { pods: "9", secrets: "9" }, ...spec } };
    const evaluators = [evaluatorFor("", "pods"), evaluatorFor("", "secrets"), evaluatorFor("", "services")];
    return formatResourceList(await calculateUsage(quota, evaluators, content, 0));
  };
  const high = { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }] };
  expect(await counted({})).toEqual({ pods: "3", secrets: "3" });
  expect(await counted({ scopes: ["Terminating"] })).toEqual({ pods: "2", secrets: "0" });
  expect(await counted({ scopes: ["Terminating"], scopeSelector: high })).toEqual({ pods: "1", secrets: "0" });
  expect(
    await counted({ scopeSelector: { matchExpressions: [{ ...high.matchExpressions[0], operator: "NotIn" }] } }),
  ).toEqual({ pods: "2", secrets: "0" });
});
