import { Quantity } from "@kubewright/apimachinery";
import { one, zero } from "../kinds/resource-list.ts";
import { countName, type QuotaEvaluator } from "./quota-evaluator.ts";

const resources = [countName("", "services"), "services", "services.nodeports", "services.loadbalancers"];

interface Service {
  readonly spec?: {
    readonly type?: string;
    readonly ports?: readonly { readonly nodePort?: number }[];
    readonly allocateLoadBalancerNodePorts?: boolean;
  };
}

/** Counts Services, load balancers and node ports. @see pkg/quota/v1/evaluator/core services.go */
export const serviceEvaluator: QuotaEvaluator = {
  group: "",
  resource: "services",
  handles: ({ operation, subresource }) => subresource === "" && (operation === "CREATE" || operation === "UPDATE"),
  constraint: () => undefined,
  matchingResources: (names) => names.filter((name) => resources.includes(name)),
  isInScope: () => false,
  usage(object) {
    const { type, ports = [], allocateLoadBalancerNodePorts = true } = (object as Service).spec ?? {};
    const isBalanced = type === "LoadBalancer";
    const nodePorts =
      type === "NodePort" || (isBalanced && allocateLoadBalancerNodePorts)
        ? ports.length
        : isBalanced
          ? ports.filter(({ nodePort }) => nodePort).length
          : 0;
    return {
      [countName("", "services")]: one,
      services: one,
      "services.loadbalancers": isBalanced ? one : zero,
      "services.nodeports": Quantity.parse(nodePorts),
    };
  },
};
