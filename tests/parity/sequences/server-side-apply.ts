import { apply, get, patch, post, put, type Sequence } from "../runner/sequence.ts";
import { configMap, crd, crds, custom, deployment, isEstablished, podSpec } from "./objects.ts";

const web = (replicas: number | undefined, containers: readonly object[], name = "d") => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    ...(replicas === undefined ? {} : { replicas }),
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers } },
  },
});

const thing = (spec: object) => ({
  apiVersion: "parity.example.com/v1",
  kind: "Appliance",
  metadata: { name: "a" },
  spec,
});

export const serverSideApply: readonly Sequence[] = [
  {
    name: "apply",
    steps: [
      apply("create", "~/configmaps/a", "one", configMap("a", { k: "v" })),
      apply("the same", "~/configmaps/a", "one", configMap("a", { k: "v" })),
      apply("more", "~/configmaps/a", "one", configMap("a", { k: "v", l: "m" })),
      apply("conflict", "~/configmaps/a", "two", configMap("a", { k: "w" })),
      apply("shared", "~/configmaps/a", "two", configMap("a", { k: "v" })),
      apply("conflict of two fields", "~/configmaps/a", "three", configMap("a", { k: "w", l: "n" })),
      apply("forced", "~/configmaps/a?force=true", "two", configMap("a", { k: "w" })),
      apply("given up", "~/configmaps/a", "one", configMap("a", {})),
      patch("changed by an update", "merge", "~/configmaps/a?fieldManager=updater", { data: { k: "x" } }),
      apply("conflict with an update", "~/configmaps/a", "two", configMap("a", { k: "y" })),
      put("put", "~/configmaps/a?fieldManager=putter", configMap("a", { k: "z", q: "r" })),
      apply("dry run", "~/configmaps/a?dryRun=All&force=true", "two", configMap("a", { k: "dry" })),
      apply("without kind", "~/configmaps/a", "one", { apiVersion: "v1", metadata: { name: "a" } }),
      apply("without version", "~/configmaps/a", "one", { kind: "ConfigMap", metadata: { name: "a" } }),
      apply("another kind", "~/configmaps/a", "one", { ...configMap("a"), kind: "Secret" }),
      apply("another version", "~/configmaps/a", "one", { ...configMap("a"), apiVersion: "v2" }),
      apply("another name", "~/configmaps/a", "one", configMap("b")),
      apply("another namespace", "~/configmaps/a", "one", configMap("a", {}, { namespace: "other" })),
      apply("without a name", "~/configmaps/a", "one", { apiVersion: "v1", kind: "ConfigMap" }),
      apply("with managed fields", "~/configmaps/a", "one", configMap("a", {}, { managedFields: [{ manager: "x" }] })),
      apply("with an unknown uid", "~/configmaps/new", "one", configMap("new", {}, { uid: "abc" })),
      apply(
        "with a version to create",
        "~/configmaps/versioned",
        "one",
        configMap("versioned", { a: "b" }, { resourceVersion: "5" }),
      ),
      apply("with an old version", "~/configmaps/a", "one", configMap("a", {}, { resourceVersion: "1" })),
      apply("no yaml", "~/configmaps/a", "one", "{"),
      apply("empty body", "~/configmaps/a", "one", ""),
      apply("a list", "~/configmaps/a", "one", "[]"),
      apply("yaml", "~/configmaps/y", "one", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\ndata:\n  a: b\n"),
      apply("wrong type", "~/configmaps/a", "one", configMap("a", { k: 7 } as unknown as Record<string, string>)),
      apply("invalid", "~/configmaps/a", "one", configMap("a", { "k/k": "v" })),
      apply("in a missing namespace", "/api/v1/namespaces/missing/configmaps/a", "one", configMap("a")),
      apply(
        "labels",
        "~/configmaps/a",
        "labeller",
        configMap("a", undefined, { labels: { a: "b" }, annotations: { c: "d" } }),
      ),
      apply("labels gone", "~/configmaps/a", "labeller", configMap("a", undefined, {})),
      post("untracked", "~/configmaps", configMap("empty")),
      patch("cleared", "json", "~/configmaps/a", [{ op: "replace", path: "/metadata/managedFields", value: [{}] }]),
      apply("before the first apply", "~/configmaps/a", "four", configMap("a", { k: "other" })),
    ],
  },
  {
    name: "cleared-managed-fields",
    steps: [
      post("created with none", "~/configmaps", configMap("a", { k: "v" }, { managedFields: [] })),
      patch("cleared", "merge", "~/configmaps/a", { metadata: { managedFields: [] } }),
      patch("changed later", "merge", "~/configmaps/a", { data: { l: "m" } }),
      apply("applied later", "~/configmaps/a", "one", configMap("a", { n: "o" })),
      put("put without any", "~/configmaps/a", configMap("a", { k: "w" }, { managedFields: [] })),
      apply("applied again", "~/configmaps/a", "one", configMap("a", { n: "o" })),
      patch("cleared with an empty entry", "merge", "~/configmaps/a", { metadata: { managedFields: [{}] } }),
      post("deployment", "apps~/deployments", deployment("d")),
      patch("deployment cleared", "strategic", "apps~/deployments/d", { metadata: { managedFields: [] } }),
      patch("by JSON patch", "json", "apps~/deployments/d", [
        { op: "replace", path: "/metadata/managedFields", value: [{}] },
      ]),
    ],
  },
  {
    name: "apply-workloads",
    steps: [
      apply(
        "create",
        "apps~/deployments/d",
        "one",
        web(2, [{ name: "c", image: "c:1", ports: [{ containerPort: 80 }], env: [{ name: "A", value: "1" }] }]),
      ),
      apply("another container", "apps~/deployments/d", "two", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "d" },
        spec: { template: { spec: { containers: [{ name: "side", image: "s:1" }] } } },
      }),
      apply("conflict on an image", "apps~/deployments/d", "two", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "d" },
        spec: { template: { spec: { containers: [{ name: "c", image: "c:2" }] } } },
      }),
      patch("scaled", "merge", "apps~/deployments/d/scale?fieldManager=scaler", { spec: { replicas: 5 } }),
      apply("conflict with the scaler", "apps~/deployments/d", "one", web(2, [{ name: "c", image: "c:1" }])),
      apply(
        "replicas given up",
        "apps~/deployments/d",
        "one",
        web(undefined, [
          { name: "c", image: "c:1", ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }] },
        ]),
      ),
      apply("status", "apps~/deployments/d/status", "reporter", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "d" },
        status: { replicas: 1, conditions: [{ type: "Available", status: "True" }] },
      }),
      patch("updated with a known manager", "strategic", "apps~/deployments/d?fieldManager=one", {
        spec: { template: { spec: { containers: [{ name: "c", image: "c:9" }] } } },
      }),
      apply("unknown field", "apps~/deployments/d", "one", {
        ...web(1, [{ name: "c", image: "c:1" }]),
        spec: { bogus: 1 },
      }),
      apply(
        "duplicate keys",
        "apps~/deployments/d",
        "one",
        web(1, [
          { name: "c", image: "c:1" },
          { name: "c", image: "c:2" },
        ]),
      ),
      apply("missing key", "apps~/deployments/d", "one", web(1, [{ image: "c:1" }])),
      apply("wrong type", "apps~/deployments/d", "one", {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "d" },
        spec: { replicas: "x" },
      }),
      apply("unknown field of a new one", "apps~/deployments/new", "one", {
        ...web(1, [{ name: "c", image: "c:1" }], "new"),
        spec: { bogus: 1 },
      }),
      post("created by an update", "apps~/deployments?fieldManager=creator", deployment("u", {}, podSpec())),
      patch("updated by its creator", "merge", "apps~/deployments/u?fieldManager=creator", { spec: { replicas: 3 } }),
      patch("updated by another", "merge", "apps~/deployments/u?fieldManager=other", { spec: { paused: true } }),
      apply("conflict with updates", "apps~/deployments/u", "me", web(7, [{ name: "main", image: "x" }], "u")),
      apply(
        "kubectl takes over",
        "apps~/deployments/u?force=true",
        "kubectl",
        web(7, [{ name: "main", image: "x" }], "u"),
      ),
    ],
  },
  {
    name: "apply-custom",
    steps: [
      post(
        "define",
        crds,
        crd({
          plural: "appliances",
          kind: "Appliance",
          schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  tags: { type: "array", items: { type: "string" } },
                  set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
                  keyed: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: { type: "string" }, value: { type: "string" } },
                    },
                  },
                  atomic: {
                    type: "object",
                    "x-kubernetes-map-type": "atomic",
                    additionalProperties: { type: "string" },
                  },
                  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
                  map: { type: "object", additionalProperties: { type: "integer" } },
                },
              },
            },
          },
        }),
      ),
      get("established", `${crds}/appliances.parity.example.com`, { until: isEstablished }),
      apply(
        "create",
        `${custom}/appliances/a`,
        "one",
        thing({
          tags: ["a"],
          set: ["x"],
          keyed: [{ name: "k", value: "1" }],
          atomic: { a: "b" },
          free: { deep: { er: 1 } },
          map: { m: 1 },
        }),
      ),
      apply(
        "another's set, key and member",
        `${custom}/appliances/a`,
        "two",
        thing({ set: ["y"], keyed: [{ name: "l", value: "2" }], free: { other: 1 }, map: { n: 2 } }),
      ),
      apply("conflict on atoms", `${custom}/appliances/a`, "two", thing({ tags: ["b"], atomic: { c: "d" } })),
      apply("conflict in a keyed list", `${custom}/appliances/a`, "two", thing({ keyed: [{ name: "k", value: "9" }] })),
      apply("given up", `${custom}/appliances/a`, "one", thing({ tags: ["a"] })),
      apply("duplicate in a set", `${custom}/appliances/a`, "one", thing({ set: ["x", "x"] })),
      apply("unknown field", `${custom}/appliances/a`, "one", thing({ bogus: 1 })),
      apply("wrong type", `${custom}/appliances/a`, "one", thing({ map: { m: "x" } })),
      apply("key missing", `${custom}/appliances/a`, "one", thing({ keyed: [{ value: "x" }] })),
      patch("updated", "merge", `${custom}/appliances/a?fieldManager=up`, { spec: { map: { u: 7 } } }),
      apply("another kind", `${custom}/appliances/a`, "one", { ...thing({}), kind: "Other" }),
    ],
  },
];
