import type { KubeObject } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { formatResourceList } from "../kinds/resource-list.ts";
import { serviceEvaluator } from "./service-evaluator.ts";

const service = (spec?: object): KubeObject => {
  const object = { apiVersion: "v1", kind: "Service", metadata: { name: "s" }, ...(spec ? { spec } : {}) };
  return object;
};
const ports = (...nodePorts: number[]) => nodePorts.map((nodePort) => (nodePort ? { nodePort } : {}));

/** @see pkg/quota/v1/evaluator/core services_test.go TestServiceEvaluatorUsage */
describe("a service uses load balancers and node ports", () => {
  it.each<[string, object | undefined, string, string]>([
    ["of no type", undefined, "0", "0"],
    ["of a cluster's address", { type: "ClusterIP", ports: ports(0, 0) }, "0", "0"],
    ["of node ports", { type: "NodePort", ports: ports(0, 30_001) }, "0", "2"],
    ["of node ports, without any", { type: "NodePort" }, "0", "0"],
    ["of a load balancer", { type: "LoadBalancer", ports: ports(0, 0, 0) }, "1", "3"],
    [
      "of a load balancer with node ports, in words",
      { type: "LoadBalancer", ports: ports(0), allocateLoadBalancerNodePorts: true },
      "1",
      "1",
    ],
    [
      "of a load balancer without",
      { type: "LoadBalancer", ports: ports(0, 0), allocateLoadBalancerNodePorts: false },
      "1",
      "0",
    ],
    [
      "of a load balancer with some",
      { type: "LoadBalancer", ports: ports(0, 30_001), allocateLoadBalancerNodePorts: false },
      "1",
      "1",
    ],
    [
      "node ports, whatever the load balancer setting is",
      { type: "NodePort", ports: ports(0), allocateLoadBalancerNodePorts: false },
      "0",
      "1",
    ],
  ])("%s", (_what, spec, balancers, nodePorts) => {
    expect(formatResourceList(serviceEvaluator.usage(service(spec), 0))).toEqual({
      "count/services": "1",
      services: "1",
      "services.loadbalancers": balancers,
      "services.nodeports": nodePorts,
    });
  });
});

it("counts under these names, in no scope, without requirements", () => {
  const names = ["count/services", "services", "services.nodeports", "services.loadbalancers"];
  expect(serviceEvaluator.matchingResources([...names, "pods", "count/services.apps"])).toEqual(names);
  expect(serviceEvaluator.isInScope({ scopeName: "Terminating", operator: "Exists" }, service())).toBe(false);
  expect(serviceEvaluator.constraint(names, service())).toBeUndefined();
});

it.each([
  ["CREATE", "", true],
  ["UPDATE", "", true],
  ["DELETE", "", false],
  ["UPDATE", "status", false],
])("%s of %j may change the count: %s", (operation, subresource, handled) => {
  expect(serviceEvaluator.handles({ operation, subresource, object: service(), oldObject: undefined })).toBe(handled);
});
