/** Scope of a request: `own` for the program's namespace, `cluster` for cluster-scoped objects, or the name of a system namespace. */
export type Place = "own" | "kube-system" | "kube-node-lease" | "cluster";

/** Requests that must succeed while a webhook is down. */
export interface Need {
  readonly group: string;
  readonly resources: readonly string[];
  readonly place: Place;
  readonly why: string;
}

const starts = "nothing can restart the webhook once it is down";
const clusterRuns = "without the webhook, the cluster cannot run its own components";

/** The requests that an operator's pods and the cluster itself depend on. */
export const needs: readonly Need[] = [
  {
    group: "",
    resources: [
      "pods",
      "pods/binding",
      "pods/status",
      "secrets",
      "serviceaccounts",
      "serviceaccounts/token",
      "services",
    ],
    place: "own",
    why: starts,
  },
  { group: "", resources: ["endpoints"], place: "own", why: "its new address will not be published after it moves" },
  {
    group: "discovery.k8s.io",
    resources: ["endpointslices"],
    place: "own",
    why: "its new address will not be published after it moves",
  },
  { group: "apps", resources: ["daemonsets", "deployments", "replicasets", "statefulsets"], place: "own", why: starts },
  {
    group: "coordination.k8s.io",
    resources: ["leases"],
    place: "own",
    why: "without it, no replica can become the leader",
  },
  {
    group: "",
    resources: ["pods", "pods/binding", "pods/status", "serviceaccounts/token"],
    place: "kube-system",
    why: clusterRuns,
  },
  { group: "apps", resources: ["daemonsets", "deployments", "replicasets"], place: "kube-system", why: clusterRuns },
  {
    group: "coordination.k8s.io",
    resources: ["leases"],
    place: "kube-system",
    why: "without the webhook, scheduler and controllers lose their leader",
  },
  {
    group: "coordination.k8s.io",
    resources: ["leases"],
    place: "kube-node-lease",
    why: "without the webhook, all nodes are considered dead",
  },
  {
    group: "",
    resources: ["nodes", "nodes/status"],
    place: "cluster",
    why: "without the webhook, nodes are considered dead",
  },
  {
    group: "authentication.k8s.io",
    resources: ["tokenreviews"],
    place: "cluster",
    why: "without the webhook, components cannot authenticate callers through the API server",
  },
  {
    group: "authorization.k8s.io",
    resources: ["subjectaccessreviews"],
    place: "cluster",
    why: "without the webhook, components cannot authorize callers through the API server",
  },
  {
    group: "certificates.k8s.io",
    resources: ["certificatesigningrequests"],
    place: "cluster",
    why: "without the webhook, nodes and webhooks get no certificate",
  },
  {
    group: "apiextensions.k8s.io",
    resources: ["customresourcedefinitions"],
    place: "cluster",
    why: "its own CRDs can neither be installed nor get a CA bundle",
  },
];

/** Resources for which API servers never call webhooks, so that a webhook that blocks everything can be deleted. */
export const neverMatched = {
  group: "admissionregistration.k8s.io",
  resources: [
    "mutatingadmissionpolicies",
    "mutatingadmissionpolicybindings",
    "mutatingwebhookconfigurations",
    "validatingadmissionpolicies",
    "validatingadmissionpolicybindings",
    "validatingwebhookconfigurations",
  ],
} as const;
