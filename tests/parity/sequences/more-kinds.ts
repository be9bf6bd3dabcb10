import { get, type Json, patch, post, put, type RequestStep, remove, type Sequence } from "../runner/sequence.ts";
import { tableAccept } from "./objects.ts";

const flow = "/apis/flowcontrol.apiserver.k8s.io/v1";
const services = "/apis/apiregistration.k8s.io/v1/apiservices";
const devices = "/apis/resource.k8s.io/v1";

const schema = (spec: object, name = "a") => ({ metadata: { name }, spec });
const level = (spec: object, name = "a") => ({ metadata: { name }, spec });
const dry = (path: string): string => `${path}?dryRun=All`;

const schemas: Readonly<Record<string, object>> = {
  nothing: {},
  "exempt's precedence": { matchingPrecedence: 1, priorityLevelConfiguration: { name: "exempt" } },
  "bad values": {
    matchingPrecedence: 20_000,
    priorityLevelConfiguration: { name: "e_x" },
    distinguisherMethod: { type: "Foo" },
  },
  "bad rules": {
    matchingPrecedence: -1,
    priorityLevelConfiguration: { name: "x" },
    rules: [
      {},
      {
        subjects: [
          { kind: "User" },
          { kind: "Group", group: {}, user: { name: "x" } },
          { kind: "ServiceAccount", serviceAccount: { name: "A_", namespace: "" } },
          { kind: "Nope" },
        ],
        resourceRules: [
          { verbs: [], apiGroups: ["*", "a"], resources: [] },
          { verbs: ["*", "get"], apiGroups: [""], resources: ["*"], namespaces: ["A_", "x"] },
          { verbs: ["foo"], apiGroups: ["a"], resources: ["b"], clusterScope: true, namespaces: ["*", "b"] },
        ],
        nonResourceRules: [
          {},
          { verbs: ["get"], nonResourceURLs: ["x", "*"] },
          { verbs: ["get"], nonResourceURLs: ["x", "/a b", "//", "/a*", "/a/*", "", "/"] },
        ],
      },
    ],
  },
  fine: {
    priorityLevelConfiguration: { name: "x" },
    rules: [
      {
        subjects: [{ kind: "User", user: { name: "*" } }],
        resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] }],
      },
    ],
  },
};

const queue = (queuing: object) => ({ type: "Limited", limited: { limitResponse: { type: "Queue", queuing } } });
const levels: Readonly<Record<string, object>> = {
  nothing: {},
  "exempt by another name": { type: "Exempt" },
  "unknown type": { type: "Foo" },
  "no limits": { type: "Limited" },
  "empty limits": { type: "Limited", limited: {} },
  "no queue": { type: "Limited", limited: { limitResponse: { type: "Queue" } } },
  "bad limits": {
    type: "Limited",
    exempt: {},
    limited: {
      nominalConcurrencyShares: -1,
      lendablePercent: 101,
      borrowingLimitPercent: -1,
      limitResponse: { type: "Reject", queuing: {} },
    },
  },
  "defaults of a queue": queue({}),
  "negative queue": queue({ queues: -1, handSize: -1, queueLengthLimit: -1 }),
  "too much entropy": queue({ queues: 10_000_000, handSize: 8 }),
  "hand larger than deck": queue({ queues: 4, handSize: 8 }),
};

/** Returns the objects that the server creates at its start, which are always the same. */
const made = ({ items }: Json) =>
  items.map(({ metadata, spec, status }: Json) => ({
    name: metadata.name,
    ...metadata.annotations,
    ...metadata.labels,
    spec,
    status,
  }));
const isReported = ({ items }: Json): boolean =>
  items?.length >= 11 && items.every(({ status }: Json) => status?.conditions?.length > 0);

const flowControl: Sequence = {
  name: "flow-control",
  steps: [
    get("schemas at start", `${flow}/flowschemas`, { until: isReported, pick: made }),
    get("levels at start", `${flow}/prioritylevelconfigurations`, { pick: made }),
    ...Object.entries(schemas).map(([id, spec]) => post(`schema: ${id}`, dry(`${flow}/flowschemas`), schema(spec))),
    ...Object.entries(levels).map(([id, spec]) =>
      post(`level: ${id}`, dry(`${flow}/prioritylevelconfigurations`), level(spec)),
    ),
    put(
      "mandatory schema",
      dry(`${flow}/flowschemas/exempt`),
      schema({ matchingPrecedence: 1, priorityLevelConfiguration: { name: "exempt" } }, "exempt"),
    ),
    patch("mandatory schema, patched", "merge", dry(`${flow}/flowschemas/catch-all`), {
      spec: { matchingPrecedence: 9 },
    }),
    patch("exempt's shares", "merge", dry(`${flow}/prioritylevelconfigurations/exempt`), {
      spec: { exempt: { nominalConcurrencyShares: 5 } },
    }),
    patch("exempt limited", "merge", dry(`${flow}/prioritylevelconfigurations/exempt`), { spec: { limited: {} } }),
    patch("mandatory level", "merge", dry(`${flow}/prioritylevelconfigurations/catch-all`), {
      spec: { limited: { lendablePercent: 5 } },
    }),
    remove("missing", `${flow}/flowschemas/nope`),
  ],
};

const service = (spec: object, name = "v1.x.y") => ({ metadata: { name }, spec });
const served = { group: "x.y", version: "v1", groupPriorityMinimum: 2_000, versionPriority: 100 };
const apiServices: Sequence = {
  name: "api-services",
  steps: [
    get("at start", services, { pick: (body) => made(body).filter(({ name }: Json) => !name.includes("example.com")) }),
    post("nothing", dry(services), service({}, "v1.x")),
    post(
      "bad values",
      dry(services),
      service({ ...served, groupPriorityMinimum: 20_001, versionPriority: 1_001, service: {} }),
    ),
    post(
      "skipping with a bundle",
      dry(services),
      service({ ...served, service: { name: "a", namespace: "b" }, insecureSkipTLSVerify: true, caBundle: "YWI=" }),
    ),
    post("local with a bundle", dry(services), service({ ...served, insecureSkipTLSVerify: true, caBundle: "YWI=" })),
    post("local", dry(services), service(served)),
    post("remote", dry(services), service({ ...served, service: { name: "a", namespace: "b" } })),
    patch("bad priority", "merge", dry(`${services}/v1.apps`), { spec: { versionPriority: 0 } }),
  ],
};

const request = (exactly: object, name = "a") => ({ devices: { requests: [{ name, exactly }] } });
const claims = `${devices}/namespaces/devices/resourceclaims`;
const slices = `${devices}/resourceslices`;
const slice = { driver: "d.example.com", nodeName: "n1", pool: { name: "p", resourceSliceCount: 1 } };
const dynamicResources: Sequence = {
  name: "devices",
  steps: [
    post(
      "class",
      dry(`${devices}/deviceclasses`),
      schema({ selectors: [{ cel: { expression: "device.driver == 'x'" } }] }),
    ),
    post("class without an expression", dry(`${devices}/deviceclasses`), schema({ selectors: [{}] })),
    post("claim", dry(claims), schema(request({ deviceClassName: "x" }))),
    post("claim of nothing", dry(claims), schema({})),
    post(
      "bad claim",
      dry(claims),
      schema({
        devices: {
          requests: [
            { name: "A", exactly: {} },
            { name: "b" },
            { name: "b", exactly: { deviceClassName: "x", allocationMode: "All", count: 3 } },
            { exactly: { deviceClassName: "x", allocationMode: "Foo" } },
          ],
          constraints: [{ requests: ["zz"], matchAttribute: "a/b" }],
        },
      }),
    ),
    post(
      "template",
      dry(`${devices}/namespaces/devices/resourceclaimtemplates`),
      schema({ spec: request({ deviceClassName: "x" }) }),
    ),
    post("slice", dry(slices), schema({ ...slice, devices: [{ name: "d1" }] })),
    post("slice of nothing", dry(slices), schema({})),
    post(
      "bad slice",
      dry(slices),
      schema({ ...slice, allNodes: true, devices: [{ name: "d1" }, { name: "d1" }, { name: "D" }] }),
    ),
    get("slices of a node", `${slices}?fieldSelector=spec.nodeName%3Dn1`),
  ],
};

const scalers = (version: string): string =>
  `/apis/autoscaling/${version}/namespaces/autoscalers/horizontalpodautoscalers`;
const scaleTargetRef = { kind: "Deployment", name: "d", apiVersion: "apps/v1" };
const autoscalers: Sequence = {
  name: "autoscalers",
  steps: [
    post("by v1", scalers("v1"), schema({ scaleTargetRef, maxReplicas: 5, targetCPUUtilizationPercentage: 60 }, "h1")),
    get("as v2", `${scalers("v2")}/h1`),
    get("as a table", `${scalers("v1")}/h1`, { accept: tableAccept }),
    patch("patched by v1", "merge", `${scalers("v1")}/h1`, { spec: { minReplicas: 2 } }),
    post(
      "by v2",
      scalers("v2"),
      schema(
        {
          scaleTargetRef,
          maxReplicas: 5,
          metrics: [
            { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "10Mi" } } },
            {
              type: "Pods",
              pods: {
                metric: { name: "m", selector: { matchLabels: { a: "b" } } },
                target: { type: "AverageValue", averageValue: "5" },
              },
            },
            {
              type: "Object",
              object: {
                describedObject: { kind: "S", name: "s", apiVersion: "v1" },
                metric: { name: "o" },
                target: { type: "Value", value: "3" },
              },
            },
            { type: "External", external: { metric: { name: "e" }, target: { type: "Value", value: "7" } } },
            {
              type: "ContainerResource",
              containerResource: {
                name: "cpu",
                container: "c",
                target: { type: "Utilization", averageUtilization: 33 },
              },
            },
            { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } },
          ],
          behavior: {
            scaleUp: { stabilizationWindowSeconds: 10, policies: [{ type: "Pods", value: 4, periodSeconds: 60 }] },
          },
        },
        "h2",
      ),
    ),
    get("as v1", `${scalers("v1")}/h2`),
    patch("status", "merge", `${scalers("v2")}/h2/status`, {
      status: {
        desiredReplicas: 3,
        currentReplicas: 2,
        currentMetrics: [
          { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 44, averageValue: "100m" } } },
        ],
        conditions: [{ type: "AbleToScale", status: "True", reason: "R", message: "m" }],
      },
    }),
    get("status as v1", `${scalers("v1")}/h2/status`),
    post("nothing", scalers("v1"), schema({}, "h3")),
    post(
      "bad values",
      scalers("v1"),
      schema({ scaleTargetRef, maxReplicas: 1, minReplicas: 3, targetCPUUtilizationPercentage: -1 }, "h3"),
    ),
    get("list by v1", scalers("v1")),
    remove("delete by v1", `${scalers("v1")}/h2`),
    get("gone", `${scalers("v2")}/h2`),
  ],
};

const components: Sequence = {
  name: "component-statuses",
  steps: [
    get("etcd", "/api/v1/componentstatuses/etcd-0"),
    get("missing", "/api/v1/componentstatuses/x"),
    get("watch", "/api/v1/componentstatuses?watch=1"),
    get("selected", "/api/v1/componentstatuses?labelSelector=a%3Db"),
    post("create", "/api/v1/componentstatuses", {}),
    remove("delete", "/api/v1/componentstatuses"),
  ],
};

const selectable: readonly (readonly [path: string, fields: readonly string[]])[] = [
  ["/api/v1/events", ["involvedObject.kind", "regarding.kind", "source", "reportingComponent"]],
  ["/apis/events.k8s.io/v1/events", ["involvedObject.kind", "regarding.kind", "source", "reportingController"]],
  ["/api/v1/pods", ["status.phase", "spec.nodeName", "spec.hostNetwork", "status.podIP", "spec.foo"]],
  ["/api/v1/secrets", ["type", "data"]],
  ["/api/v1/nodes", ["spec.unschedulable", "metadata.namespace"]],
  ["/api/v1/namespaces", ["status.phase", "metadata.namespace"]],
  ["/api/v1/services", ["spec.clusterIP", "spec.type", "spec.ports"]],
  ["/api/v1/replicationcontrollers", ["status.replicas"]],
  ["/apis/batch/v1/jobs", ["status.successful", "spec.foo"]],
  ["/apis/certificates.k8s.io/v1/certificatesigningrequests", ["spec.signerName", "metadata.namespace"]],
  ["/apis/resource.k8s.io/v1/resourceslices", ["spec.driver", "spec.foo", "metadata.namespace"]],
  ["/apis/apps/v1/deployments", ["status.replicas", "metadata.namespace"]],
  ["/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", ["spec.foo"]],
];
const fieldSelectors: Sequence = {
  name: "field-selectors",
  steps: selectable.flatMap(([path, fields]): RequestStep[] =>
    fields.map((field) => get(`${path} by ${field}`, `${path}?fieldSelector=${encodeURIComponent(`${field}=none`)}`)),
  ),
};

const isStrategic = { contentType: "application/strategic-merge-patch+json" };
const onePod = (name: string, resources: object = {}) => ({
  metadata: { name, labels: { app: name } },
  spec: { automountServiceAccountToken: false, containers: [{ name: "c", image: "busybox:1", resources }] },
});
const more = (id: string, container: object): RequestStep =>
  patch(id, "strategic", "~/pods/e/ephemeralcontainers", { spec: { ephemeralContainers: [container] } }, isStrategic);
const resize = (id: string, resources: object, others: object = {}): RequestStep =>
  patch(id, "strategic", "~/pods/r/resize", { spec: { containers: [{ name: "c", ...others, resources }] } });
const eviction = (name: string, deleteOptions?: object) => ({
  apiVersion: "policy/v1",
  kind: "Eviction",
  metadata: { name },
  ...(deleteOptions ? { deleteOptions } : {}),
});
const budgets = "/apis/policy/v1/namespaces/pod-subresources/poddisruptionbudgets";
const budget = (name: string, spec: object = {}) =>
  post(`budget ${name}`, budgets, {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name },
    spec: { minAvailable: 1, selector: { matchLabels: { app: name } }, ...spec },
  });
const running = (name: string, ready: boolean) =>
  patch(`${name} runs`, "merge", `~/pods/${name}/status`, {
    status: { phase: "Running", conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
  });
const node = { kind: "Node", name: "n1" };

const podSubresources: Sequence = {
  name: "pod-subresources",
  steps: [
    post("pod e", "~/pods", onePod("e")),
    more("debug container", { name: "dbg", image: "x", command: ["sh"], targetContainerName: "c" }),
    get("ephemeral containers", "~/pods/e/ephemeralcontainers"),
    more("what it may not have", {
      name: "c",
      image: "y",
      ports: [{ containerPort: 3 }],
      resources: { limits: { cpu: "1" } },
      livenessProbe: { exec: { command: ["a"] } },
      targetContainerName: "nope",
    }),
    patch("removed", "merge", "~/pods/e/ephemeralcontainers", { spec: { ephemeralContainers: [] } }),
    patch("other changes", "strategic", "~/pods/e/ephemeralcontainers", {
      metadata: { labels: { z: "z" } },
      spec: { activeDeadlineSeconds: 5, ephemeralContainers: [{ name: "two", image: "y" }] },
    }),
    patch("of a missing pod", "strategic", "~/pods/nope/ephemeralcontainers", { spec: {} }),
    post("not created", "~/pods/e/ephemeralcontainers", {}),
    post("pod r", "~/pods", onePod("r", { requests: { cpu: "100m" }, limits: { cpu: "200m" } })),
    resize("resized", { requests: { cpu: "150m" }, limits: { cpu: "300m" } }),
    resize("with another image", { requests: { cpu: "160m" } }, { image: "other" }),
    resize("another container", {}, { name: "d", image: "other" }),
    resize("another class", { requests: { cpu: "150m", memory: "10Mi" }, limits: { cpu: "150m", memory: "10Mi" } }),
    resize("negative", { requests: { cpu: "-1" } }),
    resize("another resource", { requests: { "ephemeral-storage": "1Gi" } }),
    get("log of a missing pod", "~/pods/nope/log"),
    post("binding", "~/bindings", { metadata: { name: "e" }, target: node }),
    post("bound again", "~/bindings", { metadata: { name: "e" }, target: node }),
    post("missing pod", "~/bindings", { metadata: { name: "nope" }, target: node }),
    post("no node", "~/bindings", { metadata: { name: "r" }, target: { kind: "Foo", name: "n1" } }),
    post("no name", "~/pods/r/binding", { metadata: { name: "r" }, target: {} }),
    get("bindings are not listed", "~/bindings"),
    get("bound", "~/pods/e"),
  ],
};

const evictions: Sequence = {
  name: "evictions",
  steps: [
    post("missing", "~/pods/nope/eviction", eviction("nope")),
    post("pod a", "~/pods", onePod("a")),
    post("another name", "~/pods/a/eviction", eviction("other")),
    post("dry", "~/pods/a/eviction?dryRun=All", eviction("a")),
    post("to a node", "~/pods/a/binding", { metadata: { name: "a" }, target: node }),
    running("a", true),
    post("another uid", "~/pods/a/eviction", eviction("a", { preconditions: { uid: "x" } })),
    post("evicted", "~/pods/a/eviction", eviction("a")),
    get("marked", "~/pods/a"),
    post("pod b", "~/pods", onePod("b")),
    running("b", true),
    { ...budget("b"), path: budgets.replace("pod-subresources", "evictions") },
    post("not yet processed", "~/pods/b/eviction", eviction("b")),
    patch("none allowed", "merge", `${budgets.replace("pod-subresources", "evictions")}/b/status`, {
      status: { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    }),
    post("blocked", "~/pods/b/eviction", eviction("b")),
    patch("one allowed", "merge", `${budgets.replace("pod-subresources", "evictions")}/b/status`, {
      status: { observedGeneration: 1, disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 },
    }),
    post("allowed", "~/pods/b/eviction", eviction("b")),
    get("charged", `${budgets.replace("pod-subresources", "evictions")}/b`),
    post("pod c", "~/pods", onePod("c")),
    running("c", true),
    { ...budget("c"), path: budgets.replace("pod-subresources", "evictions") },
    {
      ...budget("d", { selector: { matchLabels: { app: "c" } } }),
      path: budgets.replace("pod-subresources", "evictions"),
    },
    post("two budgets", "~/pods/c/eviction", eviction("c")),
  ],
};

export const moreKinds: readonly Sequence[] = [
  flowControl,
  apiServices,
  dynamicResources,
  autoscalers,
  components,
  fieldSelectors,
  podSubresources,
  evictions,
];
