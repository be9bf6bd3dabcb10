import { get, patch, post, type Sequence } from "../runner/sequence.ts";
import { configMap, crd, crds, custom, deployment, isEstablished, service } from "./objects.ts";

const two = {
  containers: [
    {
      name: "a",
      image: "a:1",
      env: [
        { name: "X", value: "1" },
        { name: "Y", value: "2" },
      ],
      ports: [{ containerPort: 80 }],
    },
    { name: "b", image: "b:1" },
  ],
};
const inPods = (spec: object) => ({ spec: { template: { spec } } });

export const patches: readonly Sequence[] = [
  {
    name: "json-patch",
    steps: [
      post("create", "~/configmaps", configMap("a", { k: "v", l: "m" })),
      patch("add", "json", "~/configmaps/a", [{ op: "add", path: "/data/n", value: "o" }]),
      patch("replace", "json", "~/configmaps/a", [{ op: "replace", path: "/data/k", value: "w" }]),
      patch("remove", "json", "~/configmaps/a", [{ op: "remove", path: "/data/l" }]),
      patch("move", "json", "~/configmaps/a", [{ op: "move", from: "/data/n", path: "/data/p" }]),
      patch("copy", "json", "~/configmaps/a", [{ op: "copy", from: "/data/p", path: "/data/q" }]),
      patch("test", "json", "~/configmaps/a", [{ op: "test", path: "/data/k", value: "w" }]),
      patch("failed test", "json", "~/configmaps/a", [{ op: "test", path: "/data/k", value: "no" }]),
      patch("missing path", "json", "~/configmaps/a", [{ op: "remove", path: "/data/nope" }]),
      patch("replace of nothing", "json", "~/configmaps/a", [{ op: "replace", path: "/data/nope", value: "x" }]),
      patch("missing parent", "json", "~/configmaps/a", [{ op: "add", path: "/metadata/labels/x", value: "y" }]),
      patch("unknown operation", "json", "~/configmaps/a", [{ op: "frob", path: "/data/k" }]),
      patch("no list", "json", "~/configmaps/a", {}),
      patch("no json", "json", "~/configmaps/a", "["),
      patch("empty", "json", "~/configmaps/a", []),
      patch("escaped", "json", "~/configmaps/a", [
        { op: "add", path: "/metadata/annotations", value: {} },
        { op: "add", path: "/metadata/annotations/example.com~1x", value: "y" },
      ]),
      patch("missing object", "json", "~/configmaps/nope", []),
      patch("no value", "json", "~/configmaps/a", [{ op: "add", path: "/data/z" }]),
      patch("another name", "json", "~/configmaps/a", [{ op: "replace", path: "/metadata/name", value: "b" }]),
      patch("another namespace", "json", "~/configmaps/a", [
        { op: "replace", path: "/metadata/namespace", value: "b" },
      ]),
      patch("another uid", "json", "~/configmaps/a", [{ op: "replace", path: "/metadata/uid", value: "b" }]),
      patch("another kind", "json", "~/configmaps/a", [{ op: "replace", path: "/kind", value: "Secret" }]),
      patch("old version", "json", "~/configmaps/a", [
        { op: "replace", path: "/metadata/resourceVersion", value: "{{create.metadata.resourceVersion}}" },
      ]),
      patch("managed fields cleared", "json", "~/configmaps/a", [
        { op: "replace", path: "/metadata/managedFields", value: [{}] },
      ]),
      patch("managed fields that are none", "json", "~/configmaps/a", [
        { op: "add", path: "/metadata/managedFields", value: [{ manager: "x" }] },
      ]),
    ],
  },
  {
    name: "merge-patch",
    steps: [
      post("create", "~/configmaps", configMap("a", { k: "v", l: "m" })),
      patch("merge", "merge", "~/configmaps/a", { data: { k: "w", l: null, n: "o" } }),
      patch("no change", "merge", "~/configmaps/a", { data: { k: "w" } }),
      patch("empty", "merge", "~/configmaps/a", {}),
      patch("no json", "merge", "~/configmaps/a", "{"),
      patch("list", "merge", "~/configmaps/a", "[]"),
      patch("null", "merge", "~/configmaps/a", "null"),
      patch("data away", "merge", "~/configmaps/a", { data: null }),
      patch("old version", "merge", "~/configmaps/a", {
        metadata: { resourceVersion: "{{create.metadata.resourceVersion}}" },
        data: { x: "y" },
      }),
      patch("version is no number", "merge", "~/configmaps/a", {
        metadata: { resourceVersion: "abc" },
        data: { x: "y" },
      }),
      patch("another name", "merge", "~/configmaps/a", { metadata: { name: "b" } }),
      patch("name away", "merge", "~/configmaps/a", { metadata: { name: null } }),
      patch("another namespace", "merge", "~/configmaps/a", { metadata: { namespace: "b" } }),
      patch("another uid", "merge", "~/configmaps/a", { metadata: { uid: "b" } }),
      patch("another kind", "merge", "~/configmaps/a", { kind: "Secret" }),
      patch("another version", "merge", "~/configmaps/a", { apiVersion: "v2" }),
      patch("invalid", "merge", "~/configmaps/a", { data: { "k/k": "v" } }),
      patch("missing", "merge", "~/configmaps/nope", {}),
      patch("creation time", "merge", "~/configmaps/a", {
        metadata: { creationTimestamp: null, generation: 5, selfLink: "/x" },
      }),
      patch("metadata away", "merge", "~/configmaps/a", { metadata: null }),
      post("deployment", "apps~/deployments", deployment("d", {}, two)),
      patch("list replaced", "merge", "apps~/deployments/d", inPods({ containers: [{ name: "c", image: "c:1" }] })),
    ],
  },
  {
    name: "strategic-patch",
    steps: [
      post("create", "apps~/deployments", deployment("d", {}, two)),
      patch("by key", "strategic", "apps~/deployments/d", inPods({ containers: [{ name: "a", image: "a:2" }] })),
      patch("added", "strategic", "apps~/deployments/d", inPods({ containers: [{ name: "c", image: "c:1" }] })),
      patch("deleted", "strategic", "apps~/deployments/d", inPods({ containers: [{ name: "c", $patch: "delete" }] })),
      patch(
        "inner list",
        "strategic",
        "apps~/deployments/d",
        inPods({
          containers: [
            {
              name: "a",
              env: [
                { name: "X", value: "9" },
                { name: "Z", value: "3" },
              ],
            },
          ],
        }),
      ),
      patch(
        "inner delete",
        "strategic",
        "apps~/deployments/d",
        inPods({ containers: [{ name: "a", env: [{ name: "Y", $patch: "delete" }] }] }),
      ),
      patch(
        "ordered",
        "strategic",
        "apps~/deployments/d",
        inPods({
          "$setElementOrder/containers": [{ name: "b" }, { name: "a" }],
          containers: [{ name: "b", image: "b:2" }],
        }),
      ),
      patch(
        "order does not match",
        "strategic",
        "apps~/deployments/d",
        inPods({ "$setElementOrder/containers": [{ name: "b" }], containers: [{ name: "a", image: "a:3" }] }),
      ),
      patch(
        "replaced",
        "strategic",
        "apps~/deployments/d",
        inPods({ containers: [{ name: "r", image: "r:1" }, { $patch: "replace" }] }),
      ),
      patch("map replaced", "strategic", "apps~/deployments/d", {
        metadata: { labels: { $patch: "replace", only: "this" } },
      }),
      patch("map deleted", "strategic", "apps~/deployments/d", { metadata: { labels: { $patch: "delete" } } }),
      patch("retain keys", "strategic", "apps~/deployments/d", {
        spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } },
      }),
      patch("without the key", "strategic", "apps~/deployments/d", inPods({ containers: [{ image: "x" }] })),
      patch("unknown directive", "strategic", "apps~/deployments/d", { metadata: { $patch: "frob" } }),
      patch("null removes", "strategic", "apps~/deployments/d", {
        metadata: { annotations: null },
        spec: { minReadySeconds: null },
      }),
      patch("no json", "strategic", "apps~/deployments/d", "{"),
      patch("list", "strategic", "apps~/deployments/d", "[]"),
      patch("wrong type", "strategic", "apps~/deployments/d", { spec: { replicas: "x" } }),
      patch("wrong shape", "strategic", "apps~/deployments/d", { spec: { template: { spec: { containers: {} } } } }),
      patch("finalizers", "strategic", "apps~/deployments/d", {
        metadata: { finalizers: ["example.com/a", "example.com/b"] },
      }),
      patch("more finalizers", "strategic", "apps~/deployments/d", { metadata: { finalizers: ["example.com/c"] } }),
      patch("finalizer removed", "strategic", "apps~/deployments/d", {
        metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] },
      }),
      patch("missing", "strategic", "apps~/deployments/nope", {}),
      post(
        "service",
        "~/services",
        service("s", {
          clusterIP: "None",
          ports: [
            { name: "a", port: 80 },
            { name: "b", port: 81 },
          ],
        }),
      ),
      patch("ports by number", "strategic", "~/services/s", {
        spec: {
          ports: [
            { port: 81, name: "c" },
            { name: "d", port: 82 },
          ],
        },
      }),
    ],
  },
  {
    name: "patch-custom",
    steps: [
      post("define", crds, crd({ plural: "patchables", kind: "Patchable" })),
      get("established", `${crds}/patchables.parity.example.com`, { until: isEstablished }),
      post("create", `${custom}/patchables`, {
        apiVersion: "parity.example.com/v1",
        kind: "Patchable",
        metadata: { name: "a" },
        spec: { l: [1, 2], m: { a: 1 } },
      }),
      patch("merge", "merge", `${custom}/patchables/a`, { spec: { m: { b: 2 } } }),
      patch("json", "json", `${custom}/patchables/a`, [{ op: "add", path: "/spec/l/-", value: 3 }]),
      patch("strategic", "strategic", `${custom}/patchables/a`, { spec: {} }),
      patch("null", "merge", `${custom}/patchables/a`, { spec: { m: null } }),
      patch("no change", "merge", `${custom}/patchables/a`, { spec: { l: [1, 2, 3] } }),
      patch("another kind", "merge", `${custom}/patchables/a`, { kind: "Other" }),
      patch("another version", "merge", `${custom}/patchables/a`, { apiVersion: "parity.example.com/v9" }),
    ],
  },
];
