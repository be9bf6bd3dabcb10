import { get, patch, post, put, remove, type Sequence } from "../runner/sequence.ts";
import { configMap, deployment, pod, podSpec, statefulSet } from "./objects.ts";

const scale = (replicas: number, metadata: object = {}) => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "d", namespace: "scale", ...metadata },
  spec: { replicas },
});

export const subresources: readonly Sequence[] = [
  {
    name: "status",
    steps: [
      post("create", "apps~/deployments", deployment("d")),
      get("get", "apps~/deployments/d/status"),
      patch("patch", "merge", "apps~/deployments/d/status", {
        metadata: { labels: { a: "b" }, annotations: { c: "d" } },
        spec: { replicas: 5 },
        status: { replicas: 1 },
      }),
      patch("main does not change it", "merge", "apps~/deployments/d", { status: { replicas: 9 } }),
      put("stale", "apps~/deployments/d/status", {
        ...deployment("d"),
        metadata: { name: "d", resourceVersion: "1" },
        status: { replicas: 2 },
      }),
      put("put", "apps~/deployments/d/status", { ...deployment("d"), status: { replicas: 2, readyReplicas: 2 } }),
      put("negative", "apps~/deployments/d/status", { ...deployment("d"), status: { replicas: -2 } }),
      patch("missing", "merge", "apps~/deployments/x/status", { status: {} }),
      post("namespace", "/api/v1/namespaces", { metadata: { name: "status-ns" } }),
      get("of a namespace", "/api/v1/namespaces/status-ns/status"),
      post("pod", "~/pods", pod("p")),
      patch("of a pod", "strategic", "~/pods/p/status", {
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      }),
      patch("another condition", "strategic", "~/pods/p/status", {
        status: { conditions: [{ type: "Initialized", status: "True" }] },
      }),
    ],
  },
  {
    name: "scale",
    steps: [
      post("create", "apps~/deployments", deployment("d")),
      get("get", "apps~/deployments/d/scale"),
      put("put", "apps~/deployments/d/scale", scale(2)),
      put("stale", "apps~/deployments/d/scale", scale(3, { resourceVersion: "1" })),
      put("negative", "apps~/deployments/d/scale", scale(-2)),
      put("another name", "apps~/deployments/d/scale", scale(1, { name: "e" })),
      patch("merge patch", "merge", "apps~/deployments/d/scale", { spec: { replicas: 4 } }),
      patch("json patch", "json", "apps~/deployments/d/scale", [{ op: "replace", path: "/spec/replicas", value: 0 }]),
      get("at zero", "apps~/deployments/d/scale"),
      get("the parent", "apps~/deployments/d"),
      get("missing", "apps~/deployments/x/scale"),
      patch("missing to patch", "merge", "apps~/deployments/x/scale", { spec: { replicas: 1 } }),
      post("stateful set", "apps~/statefulsets", statefulSet("d")),
      get("of a stateful set", "apps~/statefulsets/d/scale"),
      remove("delete", "apps~/deployments/d/scale"),
    ],
  },
  {
    name: "binding",
    steps: [
      post("pod", "~/pods", pod("p")),
      post("bind", "~/pods/p/binding", { target: { kind: "Node", name: "n1" }, metadata: { name: "p" } }),
      get("bound", "~/pods/p"),
      post("again", "~/pods/p/binding", { target: { kind: "Node", name: "n1" }, metadata: { name: "p" } }),
      post("missing", "~/pods/x/binding", { target: { kind: "Node", name: "n1" }, metadata: { name: "x" } }),
      post("nowhere", "~/pods/p/binding", { metadata: { name: "p" } }),
      post("another name", "~/pods/p/binding", { target: { kind: "Node", name: "n1" }, metadata: { name: "q" } }),
    ],
  },
  {
    name: "eviction",
    steps: [
      post("pod", "~/pods", pod("p", podSpec(), { labels: { a: "b" } })),
      post("evict", "~/pods/p/eviction", { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } }),
      get("gone", "~/pods/p"),
      post("missing", "~/pods/x/eviction", { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "x" } }),
      post("another pod", "~/pods", pod("q", { ...podSpec(), nodeName: "n1" }, { labels: { a: "b" } })),
      patch("running", "merge", "~/pods/q/status", {
        status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
      }),
      post("budget", "policy~/poddisruptionbudgets", {
        metadata: { name: "b" },
        spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } },
      }),
      post("not yet observed", "~/pods/q/eviction", {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name: "q" },
      }),
      patch("observed", "merge", "policy~/poddisruptionbudgets/b/status", {
        status: { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
      }),
      post("blocked", "~/pods/q/eviction", { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "q" } }),
      post("dry run, blocked", "~/pods/q/eviction?dryRun=All", {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name: "q" },
      }),
    ],
  },
  {
    name: "no-such-subresource",
    steps: [
      post("create", "~/configmaps", configMap("a")),
      get("status of a configmap", "~/configmaps/a/status"),
      get("scale of a configmap", "~/configmaps/a/scale"),
      patch("patch of eviction", "merge", "~/pods/a/eviction", {}),
      get("get of eviction", "~/pods/a/eviction"),
    ],
  },
];
