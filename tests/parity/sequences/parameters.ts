import { apply, get, patch, post, put, remove, type Sequence } from "../runner/sequence.ts";
import { configMap, crd, crds, custom, deployment, isEstablished } from "./objects.ts";

const a = configMap("a", { k: "v" });

export const parameters: readonly Sequence[] = [
  {
    name: "query",
    steps: [
      post("create", "~/configmaps", a),
      post("dry run", "~/configmaps?dryRun=All", configMap("dry")),
      get("dry run stored nothing", "~/configmaps/dry"),
      post("dry run of something there", "~/configmaps?dryRun=All", a),
      post("unknown dry run", "~/configmaps?dryRun=Foo", configMap("b")),
      post("two dry runs", "~/configmaps?dryRun=All&dryRun=Foo", configMap("b")),
      post("unknown validation", "~/configmaps?fieldValidation=Foo", configMap("b")),
      post("long manager", `~/configmaps?fieldManager=${"m".repeat(129)}`, configMap("b")),
      post("unprintable manager", "~/configmaps?fieldManager=a%00b", configMap("b")),
      post("manager", "~/configmaps?fieldManager=someone", configMap("managed", { k: "v" })),
      put("dry run of put", "~/configmaps/a?dryRun=All", configMap("a", { k: "w" })),
      put("unknown dry run of put", "~/configmaps/a?dryRun=Foo", configMap("a", { k: "w" })),
      patch("dry run of patch", "merge", "~/configmaps/a?dryRun=All", { data: { k: "x" } }),
      patch("unknown dry run of patch", "merge", "~/configmaps/a?dryRun=Foo", { data: { k: "x" } }),
      patch("force without apply", "merge", "~/configmaps/a?force=true", {}),
      patch("force is no boolean", "merge", "~/configmaps/a?force=maybe", {}),
      patch("apply without manager", "apply", "~/configmaps/a", a),
      get("limit is no number", "~/configmaps?limit=x"),
      get("negative limit", "~/configmaps?limit=-1"),
      get("timeout is no number", "~/configmaps?timeoutSeconds=x"),
      get("watch is no boolean", "~/configmaps?watch=maybe&limit=1", { lines: 1 }),
      get("unknown parameter", "~/configmaps/a?nope=1&timeout=32s"),
      remove("unknown policy", "~/configmaps/a?propagationPolicy=Foo"),
      remove("both policies", "~/configmaps/a", { orphanDependents: true, propagationPolicy: "Orphan" }),
      remove("grace is no number", "~/configmaps/a?gracePeriodSeconds=x"),
      remove("dry run of delete", "~/configmaps/a", { dryRun: ["All"] }),
      remove("dry run of delete by query", "~/configmaps/a?dryRun=All"),
      remove("unknown dry run of delete", "~/configmaps/a?dryRun=Foo"),
      remove("wrong type in options", "~/configmaps/a", { gracePeriodSeconds: "x" }),
      remove("unknown field in options", "~/configmaps/a", { bogus: 1 }),
      remove("wrong kind of options", "~/configmaps/a", { kind: "ConfigMap", apiVersion: "v1" }),
      remove("empty body", "~/configmaps/a?dryRun=All", ""),
      remove("options of a group", "~/configmaps/a", { kind: "DeleteOptions", apiVersion: "apps/v1", dryRun: ["All"] }),
      remove("options of meta", "~/configmaps/a", {
        kind: "DeleteOptions",
        apiVersion: "meta.k8s.io/v1",
        dryRun: ["All"],
      }),
      get("still there", "~/configmaps/a"),
    ],
  },
  {
    name: "field-validation",
    steps: [
      post("unknown field, by default", "~/configmaps", { ...configMap("warned"), bogus: 1 }),
      post("unknown fields, strict", "~/configmaps?fieldValidation=Strict", {
        ...configMap("b", {}, { lables: {} }),
        bogus: 1,
      }),
      post("unknown fields, warned", "~/configmaps?fieldValidation=Warn", {
        ...configMap("warn", {}, { lables: {} }),
        bogus: 1,
      }),
      post("unknown fields, ignored", "~/configmaps?fieldValidation=Ignore", { ...configMap("ignored"), bogus: 1 }),
      post(
        "duplicate field, strict",
        "~/configmaps?fieldValidation=Strict",
        '{"metadata":{"name":"d"},"data":{"a":"1","a":"2"}}',
      ),
      post(
        "duplicate field, warned",
        "~/configmaps?fieldValidation=Warn",
        '{"metadata":{"name":"d"},"data":{"a":"1","a":"2"}}',
      ),
      post(
        "duplicate and unknown",
        "~/configmaps?fieldValidation=Strict",
        '{"metadata":{"name":"e","name":"f"},"x":1,"x":2}',
      ),
      post("wrong case", "~/configmaps?fieldValidation=Strict", '{"metadata":{"name":"e"},"Data":{"a":"1"}}'),
      post("deep", "~/pods?fieldValidation=Strict", {
        metadata: { name: "p" },
        spec: { containers: [{ name: "c", image: "i", foo: 1 }] },
      }),
      post(
        "duplicate in yaml",
        "~/configmaps?fieldValidation=Strict",
        "metadata: {name: g}\ndata:\n  a: '1'\n  a: '2'\n",
        {
          contentType: "application/yaml",
        },
      ),
      put("put, strict", "~/configmaps/warned?fieldValidation=Strict", { ...configMap("warned"), bogus: 1 }),
      patch("merge patch, strict", "merge", "~/configmaps/warned?fieldValidation=Strict", { bogus: 1 }),
      patch("merge patch, warned", "merge", "~/configmaps/warned", { bogus: 1 }),
      patch(
        "merge patch, duplicate",
        "merge",
        "~/configmaps/warned?fieldValidation=Strict",
        '{"data":{"a":"1","a":"2"}}',
      ),
      patch("json patch, strict", "json", "~/configmaps/warned?fieldValidation=Strict", [
        { op: "add", path: "/bogus", value: 1 },
      ]),
      patch("json patch with an unknown member", "json", "~/configmaps/warned?fieldValidation=Strict", [
        { op: "add", path: "/data", value: { a: "1" }, foo: 1 },
      ]),
      patch("strategic, strict", "strategic", "~/configmaps/warned?fieldValidation=Strict", {
        bogus: 1,
        metadata: { lables: {} },
      }),
      patch("strategic, warned", "strategic", "~/configmaps/warned", { bogus: 1 }),
      patch("merge patch of a wrong type", "merge", "~/configmaps/warned", { data: { a: 1 } }),
      patch("strategic patch of a wrong type", "strategic", "~/configmaps/warned", { data: { a: 1 } }),
      patch("json patch of a wrong type", "json", "~/configmaps/warned", [{ op: "add", path: "/data", value: 7 }]),
      apply("apply, strict", "~/configmaps/applied?fieldValidation=Strict", "me", {
        ...configMap("applied"),
        bogus: 1,
      }),
      apply("apply, by default", "~/configmaps/applied", "me", { ...configMap("applied"), bogus: 1 }),
      apply(
        "apply, duplicate key",
        "~/configmaps/doubled",
        "me",
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: '1'\n  a: '2'\n",
      ),
      apply(
        "apply, duplicate key, strict",
        "~/configmaps/doubled?fieldValidation=Strict",
        "me",
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: '1'\n  a: '2'\n",
      ),
      post("deployment, unknown in the template", "apps~/deployments?fieldValidation=Strict", {
        ...deployment("d", {
          bogus: 1,
          template: {
            metadata: { labels: { app: "d" } },
            spec: { containers: [{ name: "c", image: "i", imagePulPolicy: "x" }] },
          },
        }),
      }),
    ],
  },
  {
    name: "field-validation-custom",
    steps: [
      post(
        "define",
        crds,
        crd({
          plural: "strictlings",
          kind: "Strictling",
          schema: { type: "object", properties: { spec: { type: "object", properties: { a: { type: "string" } } } } },
        }),
      ),
      get("established", `${crds}/strictlings.parity.example.com`, { until: isEstablished }),
      post("by default", `${custom}/strictlings`, {
        apiVersion: "parity.example.com/v1",
        kind: "Strictling",
        metadata: { name: "a" },
        spec: { a: "x", b: 1 },
        c: 2,
      }),
      post("strict", `${custom}/strictlings?fieldValidation=Strict`, {
        apiVersion: "parity.example.com/v1",
        kind: "Strictling",
        metadata: { name: "b", x: 1 },
        spec: { a: "x", b: 1 },
        c: 2,
      }),
      post(
        "duplicate, strict",
        `${custom}/strictlings?fieldValidation=Strict`,
        '{"apiVersion":"parity.example.com/v1","kind":"Strictling","metadata":{"name":"b"},"spec":{"a":"1","a":"2"}}',
      ),
      post("ignored", `${custom}/strictlings?fieldValidation=Ignore`, {
        apiVersion: "parity.example.com/v1",
        kind: "Strictling",
        metadata: { name: "c" },
        spec: { b: 1 },
      }),
      patch("merge patch, strict", "merge", `${custom}/strictlings/a?fieldValidation=Strict`, { spec: { b: 2 } }),
      patch("merge patch, warned", "merge", `${custom}/strictlings/a`, { spec: { b: 2 } }),
      patch("json patch, strict", "json", `${custom}/strictlings/a?fieldValidation=Strict`, [
        { op: "add", path: "/spec/b", value: 2 },
      ]),
      apply("apply, strict", `${custom}/strictlings/s?fieldValidation=Strict`, "me", {
        apiVersion: "parity.example.com/v1",
        kind: "Strictling",
        spec: { b: 1 },
      }),
      apply("apply, by default", `${custom}/strictlings/s`, "me", {
        apiVersion: "parity.example.com/v1",
        kind: "Strictling",
        spec: { b: 1 },
      }),
    ],
  },
];
