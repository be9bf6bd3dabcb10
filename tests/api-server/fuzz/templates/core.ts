import { inDefault, metadata, type Template } from "./template.ts";

const secret = (name: string, type: string, data: Record<string, string>): Template => ({
  collection: inDefault("core", "secrets"),
  object: { metadata: metadata(name), type, data },
});
const json = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");

export const coreTemplates: readonly Template[] = [
  {
    collection: inDefault("core", "configmaps"),
    object: { metadata: metadata("cm"), data: { a: "b" }, binaryData: { c: "ZA==" }, immutable: false },
  },
  {
    collection: inDefault("core", "configmaps"),
    object: {
      metadata: {
        ...metadata("cm-owned"),
        finalizers: ["example.com/f"],
        ownerReferences: [
          { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true, blockOwnerDeletion: true },
        ],
        generateName: "g-",
      },
      immutable: true,
    },
  },
  secret("s", "Opaque", { a: "Yg==" }),
  secret("s-docker", "kubernetes.io/dockerconfigjson", { ".dockerconfigjson": json({ auths: {} }) }),
  secret("s-docker-old", "kubernetes.io/dockercfg", { ".dockercfg": json({}) }),
  secret("s-basic", "kubernetes.io/basic-auth", { username: "YQ==" }),
  secret("s-ssh", "kubernetes.io/ssh-auth", { "ssh-privatekey": "YQ==" }),
  secret("s-tls", "kubernetes.io/tls", { "tls.crt": "", "tls.key": "" }),
  {
    collection: inDefault("core", "serviceaccounts"),
    object: {
      metadata: metadata("sa"),
      secrets: [{ name: "s" }],
      imagePullSecrets: [{ name: "pull" }],
      automountServiceAccountToken: false,
    },
  },
  {
    collection: "/api/v1/namespaces",
    object: { metadata: metadata("ns"), spec: { finalizers: ["kubernetes"] } },
    status: { phase: "Active", conditions: [{ type: "NamespaceContentRemaining", status: "False" }] },
  },
  {
    collection: "/api/v1/nodes",
    object: {
      metadata: metadata("n"),
      spec: {
        taints: [{ key: "k", value: "v", effect: "NoSchedule" }],
        podCIDR: "10.1.0.0/24",
        podCIDRs: ["10.1.0.0/24"],
        providerID: "p://1",
        unschedulable: true,
      },
    },
    status: {
      capacity: { cpu: "4", memory: "1Gi" },
      allocatable: { cpu: "4" },
      conditions: [{ type: "Ready", status: "True", reason: "r", message: "m" }],
      addresses: [{ type: "InternalIP", address: "1.2.3.4" }],
    },
  },
  {
    collection: "/api/v1/namespaces/kube-public/limitranges",
    object: {
      metadata: metadata("lr"),
      spec: {
        limits: [
          {
            type: "Container",
            max: { cpu: "2", memory: "2Gi" },
            min: { cpu: "100m" },
            default: { cpu: "1" },
            defaultRequest: { cpu: "500m" },
            maxLimitRequestRatio: { cpu: "4" },
          },
          { type: "PersistentVolumeClaim", min: { storage: "1Gi" } },
        ],
      },
    },
  },
  {
    collection: "/api/v1/namespaces/kube-public/resourcequotas",
    object: {
      metadata: metadata("rq"),
      spec: {
        hard: { "count/configmaps.x": "3", "requests.cpu": "100", pods: "100" },
        scopes: ["NotBestEffort"],
        scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["high"] }] },
      },
    },
    status: { hard: { pods: "10" }, used: { pods: "1" } },
  },
  {
    collection: inDefault("core", "events"),
    object: {
      metadata: metadata("ev"),
      involvedObject: { kind: "Pod", name: "p", namespace: "default", apiVersion: "v1", uid: "u" },
      reason: "R",
      message: "M",
      type: "Normal",
      count: 1,
      source: { component: "c", host: "h" },
      firstTimestamp: "2026-01-01T00:00:00Z",
      lastTimestamp: "2026-01-01T00:00:00Z",
    },
  },
  {
    collection: inDefault("/apis/events.k8s.io/v1", "events"),
    object: {
      metadata: metadata("ev-new"),
      eventTime: "2026-01-01T00:00:00.000000Z",
      reportingController: "example.com/c",
      reportingInstance: "i",
      action: "A",
      reason: "R",
      note: "N",
      type: "Warning",
      regarding: { kind: "Pod", name: "p", namespace: "default" },
      series: { count: 2, lastObservedTime: "2026-01-01T00:00:00.000000Z" },
    },
  },
  {
    collection: inDefault("core", "replicationcontrollers"),
    object: {
      metadata: metadata("rc"),
      spec: {
        replicas: 1,
        minReadySeconds: 1,
        selector: { a: "b" },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    },
    status: { replicas: 1, readyReplicas: 1, availableReplicas: 1, fullyLabeledReplicas: 1, observedGeneration: 1 },
  },
];
