import type { Unstructured } from "@kubewright/apimachinery";

const apiVersion = "flowcontrol.apiserver.k8s.io/v1";

/** Present on objects that the server keeps as they are here. */
const annotations = { "apf.kubernetes.io/autoupdate-spec": "true" };

/*
 * Suggested and mandatory configuration, as upstream makes it at start.
 *   name  nominalConcurrencyShares  lendablePercent  [queues handSize queueLengthLimit]     Exempt has no response
 */
const levels = `
system 30 33 64 6 50
node-high 40 25 64 6 50
leader-election 10 0 16 4 50
workload-high 40 50 128 6 50
workload-low 100 90 128 6 50
global-default 20 50 128 6 50
catch-all 5 0
`;

const subject = {
  group: (name: string) => ({ kind: "Group", group: { name } }),
  user: (name: string) => ({ kind: "User", user: { name } }),
  kubeSystem: { kind: "ServiceAccount", serviceAccount: { namespace: "kube-system", name: "*" } },
};
const everybody = [subject.group("system:unauthenticated"), subject.group("system:authenticated")];

const allResources = { verbs: ["*"], apiGroups: ["*"], resources: ["*"], clusterScope: true, namespaces: ["*"] };
const allUrls = { verbs: ["*"], nonResourceURLs: ["*"] };
const everything = { resourceRules: [allResources], nonResourceRules: [allUrls] };
const leases = (verbs: readonly string[]) => ({
  verbs: [...verbs],
  apiGroups: ["coordination.k8s.io"],
  resources: ["leases"],
  namespaces: ["*"],
});

type Distinguisher = "ByUser" | "ByNamespace" | undefined;

function schema(
  name: string,
  level: string,
  matchingPrecedence: number,
  distinguisher: Distinguisher,
  rule: Readonly<Record<string, unknown>>,
): Unstructured {
  return {
    apiVersion,
    kind: "FlowSchema",
    metadata: { name, annotations: { ...annotations } },
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence,
      ...(distinguisher ? { distinguisherMethod: { type: distinguisher } } : {}),
      rules: [rule],
    },
  };
}

/** Every FlowSchema that exists after start. @see apiserver pkg/apis/flowcontrol/bootstrap */
export const bootstrapFlowSchemas: readonly Unstructured[] = [
  schema("exempt", "exempt", 1, undefined, { subjects: [subject.group("system:masters")], ...everything }),
  schema("probes", "exempt", 2, undefined, {
    subjects: everybody,
    nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/healthz", "/readyz", "/livez"] }],
  }),
  schema("system-leader-election", "leader-election", 100, "ByUser", {
    subjects: [
      subject.user("system:kube-controller-manager"),
      subject.user("system:kube-scheduler"),
      subject.kubeSystem,
    ],
    resourceRules: [leases(["get", "create", "update"])],
  }),
  schema("system-node-high", "node-high", 400, "ByUser", {
    subjects: [subject.group("system:nodes")],
    resourceRules: [
      { verbs: ["*"], apiGroups: [""], resources: ["nodes", "nodes/status"], clusterScope: true, namespaces: ["*"] },
      leases(["*"]),
    ],
  }),
  schema("system-nodes", "system", 500, "ByUser", { subjects: [subject.group("system:nodes")], ...everything }),
  schema("kube-controller-manager", "workload-high", 800, "ByNamespace", {
    subjects: [subject.user("system:kube-controller-manager")],
    ...everything,
  }),
  schema("kube-scheduler", "workload-high", 800, "ByNamespace", {
    subjects: [subject.user("system:kube-scheduler")],
    ...everything,
  }),
  schema("kube-system-service-accounts", "workload-high", 900, "ByNamespace", {
    subjects: [subject.kubeSystem],
    ...everything,
  }),
  schema("service-accounts", "workload-low", 9_000, "ByUser", {
    subjects: [subject.group("system:serviceaccounts")],
    ...everything,
  }),
  schema("global-default", "global-default", 9_900, "ByUser", { subjects: everybody, ...everything }),
  schema("catch-all", "catch-all", 10_000, "ByUser", { subjects: everybody, ...everything }),
];

/** Every PriorityLevelConfiguration that exists after start. */
export const bootstrapPriorityLevels: readonly Unstructured[] = [
  level("exempt", { type: "Exempt", exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
  ...levels
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", shares, lendable, queues, handSize, queueLengthLimit] = line.split(" ");
      const queuing = {
        queues: Number(queues),
        handSize: Number(handSize),
        queueLengthLimit: Number(queueLengthLimit),
      };
      const limitResponse = queues === undefined ? { type: "Reject" } : { type: "Queue", queuing };
      const limited = { nominalConcurrencyShares: Number(shares), limitResponse, lendablePercent: Number(lendable) };
      return level(name, { type: "Limited", limited });
    }),
];

function level(name: string, spec: Readonly<Record<string, unknown>>): Unstructured {
  return { apiVersion, kind: "PriorityLevelConfiguration", metadata: { name, annotations: { ...annotations } }, spec };
}

/** The spec that objects of this name must have. */
export function mandatorySpec(objects: readonly Unstructured[], name: string | undefined): unknown {
  if (name !== "exempt" && name !== "catch-all") return undefined;
  return objects.find(({ metadata }) => metadata.name === name)?.spec;
}
