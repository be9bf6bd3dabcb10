import type { Unstructured } from "@kubewright/apimachinery";
import { rfc3339 } from "@kubewright/clock";

const namespace = (name: string): Unstructured => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } });

const priorityClass = (name: string, value: number, description: string): Unstructured => ({
  apiVersion: "scheduling.k8s.io/v1",
  kind: "PriorityClass",
  metadata: { name },
  value,
  description,
  preemptionPolicy: "PreemptLowerPriority",
});

export interface SystemFacts {
  /** Cluster address of the API server. */
  readonly apiServiceAddress: string;
  /** Network from which all Services get their addresses. */
  readonly serviceRange: string;
  readonly nowMs: number;
}

/** Returns the objects that the server creates when it starts. */
export const systemObjects = ({ apiServiceAddress, serviceRange, nowMs }: SystemFacts): readonly Unstructured[] => [
  ...["default", "kube-system", "kube-public", "kube-node-lease"].map(namespace),
  priorityClass(
    "system-cluster-critical",
    2_000_000_000,
    "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  ),
  priorityClass(
    "system-node-critical",
    2_000_001_000,
    "Used for system critical pods that must not be moved from their current node.",
  ),
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "kubernetes",
      namespace: "default",
      labels: { component: "apiserver", provider: "kubernetes" },
    },
    spec: {
      type: "ClusterIP",
      clusterIP: apiServiceAddress,
      clusterIPs: [apiServiceAddress],
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      internalTrafficPolicy: "Cluster",
      sessionAffinity: "None",
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: 6443 }],
    },
    status: { loadBalancer: {} },
  },
  {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: "kubernetes" },
    spec: { cidrs: [serviceRange] },
    status: {
      conditions: [
        {
          type: "Ready",
          status: "True",
          lastTransitionTime: rfc3339(nowMs),
          reason: "",
          message: "Kubernetes default Service CIDR is ready",
        },
      ],
    },
  },
];
