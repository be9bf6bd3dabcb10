/** Where the API server would ask a webhook: in the program's own namespace, in one of the cluster's, or about what is in none. */
export type Place = "own" | "kube-system" | "kube-node-lease" | "cluster";

/** Requests that must get through while the webhook is away, or nothing brings it back. */
export interface Need {
  readonly group: string;
  readonly resources: readonly string[];
  readonly place: Place;
  readonly why: string;
}

const starts = "once it is away nothing lets it start again";
const clusterRuns = "without the webhook the cluster cannot run what it needs itself";

/** What an operator's pods, and the cluster under them, come by. */
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
  { group: "", resources: ["endpoints"], place: "own", why: "once it has moved nobody learns where to" },
  {
    group: "discovery.k8s.io",
    resources: ["endpointslices"],
    place: "own",
    why: "once it has moved nobody learns where to",
  },
  { group: "apps", resources: ["daemonsets", "deployments", "replicasets", "statefulsets"], place: "own", why: starts },
  { group: "coordination.k8s.io", resources: ["leases"], place: "own", why: "without it no replica comes to lead" },
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
    why: "without the webhook scheduler and controllers lose their leader",
  },
  {
    group: "coordination.k8s.io",
    resources: ["leases"],
    place: "kube-node-lease",
    why: "without the webhook all nodes are taken for dead",
  },
  {
    group: "",
    resources: ["nodes", "nodes/status"],
    place: "cluster",
    why: "without the webhook nodes are taken for dead",
  },
  {
    group: "authentication.k8s.io",
    resources: ["tokenreviews"],
    place: "cluster",
    why: "nobody is known to those who ask the API server who they are",
  },
  {
    group: "authorization.k8s.io",
    resources: ["subjectaccessreviews"],
    place: "cluster",
    why: "nobody is let in by those who ask the API server whether they may",
  },
  {
    group: "certificates.k8s.io",
    resources: ["certificatesigningrequests"],
    place: "cluster",
    why: "without the webhook nodes and webhooks get no certificate",
  },
  {
    group: "apiextensions.k8s.io",
    resources: ["customresourcedefinitions"],
    place: "cluster",
    why: "its own definitions cannot be installed, nor be told whom to trust",
  },
];

/** API servers ask no webhook about these, so that one that bars all can be taken away. */
export const neverAsked = {
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
