import { get, type Json, patch, post, put, type RequestStep, remove, type Sequence } from "../runner/sequence.ts";
import { anyObject, crd, crds, custom, isEstablished, tableAccept } from "./objects.ts";

const bad = (id: string, body: object): RequestStep => post(id, `${crds}?dryRun=All`, body);
const schema = (spec: object) => ({ type: "object", properties: { spec } });
const established = (plural: string): RequestStep =>
  get("established", `${crds}/${plural}.parity.example.com`, { until: isEstablished });
const make = (kind: string, name: string, rest: object = {}) => ({
  apiVersion: "parity.example.com/v1",
  kind,
  metadata: { name },
  ...rest,
});
const gone = (body: Json): boolean => body.code === 404;

const checked = {
  type: "object",
  required: ["must"],
  properties: {
    must: { type: "string" },
    color: { type: "string", enum: ["red", "green"] },
    size: { type: "integer", minimum: 0, maximum: 10 },
    over: { type: "integer", minimum: 0, exclusiveMinimum: true },
    five: { type: "integer", multipleOf: 5 },
    text: { type: "string", minLength: 3, maxLength: 5 },
    pattern: { type: "string", pattern: "^[a-z]+$" },
    list: { type: "array", minItems: 2, maxItems: 3, items: { type: "string" } },
    map: { type: "object", minProperties: 1, maxProperties: 1, additionalProperties: { type: "string" } },
    date: { type: "string", format: "date-time" },
    uuid: { type: "string", format: "uuid" },
    ip: { type: "string", format: "ipv4" },
    mail: { type: "string", format: "email" },
    uri: { type: "string", format: "uri" },
    either: { "x-kubernetes-int-or-string": true },
    nullable: { type: "string", nullable: true },
    defaulted: { type: "string", default: "d" },
    inner: {
      type: "object",
      default: { q: 1 },
      properties: { q: { type: "integer" }, r: { type: "integer", default: 7 } },
    },
    number: { type: "number" },
    flag: { type: "boolean" },
    set: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    keyed: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
    },
    any: {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      anyOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    one: {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    free: anyObject,
    embedded: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  },
};

const violations: Readonly<Record<string, unknown>> = {
  nothing: {},
  "wrong type": { must: 1 },
  enum: { must: "x", color: "pink" },
  minimum: { must: "x", size: -1 },
  maximum: { must: "x", size: 11 },
  "exclusive minimum": { must: "x", over: 0 },
  "multiple of": { must: "x", five: 7 },
  "too short": { must: "x", text: "ab" },
  "too long": { must: "x", text: "abcdef" },
  pattern: { must: "x", pattern: "ABC" },
  "too few items": { must: "x", list: ["a"] },
  "too many items": { must: "x", list: ["a", "b", "c", "d"] },
  "too few members": { must: "x", map: {} },
  "too many members": { must: "x", map: { a: "b", c: "d" } },
  "member of a wrong type": { must: "x", map: { a: 1 } },
  "item of a wrong type": { must: "x", list: ["a", 2] },
  date: { must: "x", date: "yesterday" },
  uuid: { must: "x", uuid: "x" },
  ip: { must: "x", ip: "x" },
  mail: { must: "x", mail: "x" },
  uri: { must: "x", uri: "%%" },
  "int or string": { must: "x", either: true },
  "null where none may be": { must: null },
  "null where it may be": { must: "x", nullable: null, defaulted: null },
  "fraction for an integer": { must: "x", size: 1.5 },
  "whole fraction for an integer":
    '{"apiVersion":"parity.example.com/v1","kind":"Checked","metadata":{"name":"f"},"spec":{"must":"x","size":5.0}}',
  "text for a boolean": { must: "x", flag: "true" },
  "text for a number": { must: "x", number: "1" },
  "object for a text": { must: {} },
  "list for an object": { must: "x", map: [] },
  set: { must: "x", set: ["a", "b", "a"] },
  keyed: { must: "x", keyed: [{ name: "a" }, { name: "a" }] },
  "key missing": { must: "x", keyed: [{}] },
  "any of none": { must: "x", any: {} },
  "one of none": { must: "x", one: {} },
  "one of both": { must: "x", one: { a: "1", b: "2" } },
  "embedded without kind": { must: "x", embedded: { a: 1 } },
  "embedded with a bad name": { must: "x", embedded: { apiVersion: "v1", kind: "X", metadata: { name: 7 } } },
  "spec is a text": "x",
};

export const customResources: readonly Sequence[] = [
  {
    name: "definitions",
    steps: [
      post(
        "create",
        crds,
        crd({ plural: "gizmos", kind: "Gizmo", names: { shortNames: ["gz"], categories: ["all"] } }),
      ),
      established("gizmos"),
      post("again", crds, crd({ plural: "gizmos", kind: "Gizmo" })),
      get("discovery", "/apis/parity.example.com/v1", {
        pick: (body) => body.resources?.filter((each: Json) => each.name.startsWith("gizmos")) ?? body,
      }),
      get("table", `${crds}/gizmos.parity.example.com`, { accept: tableAccept }),
      bad("name", { ...crd({ plural: "gizmos", kind: "Gizmo" }), metadata: { name: "x" } }),
      bad("scope", crd({ plural: "others", kind: "Other", scope: "Foo" as "Cluster" })),
      bad("plural", crd({ plural: "Others", kind: "Other" })),
      bad("kind", crd({ plural: "others", kind: "other_" })),
      bad("no kind", crd({ plural: "others", kind: "" })),
      bad("short name", crd({ plural: "others", kind: "Other", names: { shortNames: ["A_"] } })),
      bad("no schema", crd({ plural: "others", kind: "Other", version: { schema: undefined } })),
      bad("no storage version", crd({ plural: "others", kind: "Other", version: { storage: false } })),
      bad("version name", crd({ plural: "others", kind: "Other", version: { name: "V_1" } })),
      bad("no versions", crd({ plural: "others", kind: "Other", spec: { versions: [] } })),
      bad("type missing", crd({ plural: "others", kind: "Other", schema: schema({}) })),
      bad("unknown type", crd({ plural: "others", kind: "Other", schema: schema({ type: "strin" }) })),
      bad("items missing", crd({ plural: "others", kind: "Other", schema: schema({ type: "array" }) })),
      bad(
        "type in any of",
        crd({ plural: "others", kind: "Other", schema: schema({ type: "object", anyOf: [{ type: "object" }] }) }),
      ),
      bad(
        "properties and additional ones",
        crd({
          plural: "others",
          kind: "Other",
          schema: schema({
            type: "object",
            properties: { a: { type: "string" } },
            additionalProperties: { type: "string" },
          }),
        }),
      ),
      bad("reference", crd({ plural: "others", kind: "Other", schema: schema({ type: "object", $ref: "#/x" }) })),
      bad(
        "unique items",
        crd({
          plural: "others",
          kind: "Other",
          schema: schema({ type: "array", uniqueItems: true, items: { type: "string" } }),
        }),
      ),
      bad(
        "no additional properties",
        crd({ plural: "others", kind: "Other", schema: schema({ type: "object", additionalProperties: false }) }),
      ),
      bad("root is no object", crd({ plural: "others", kind: "Other", schema: { type: "string" } })),
      bad(
        "metadata in the schema",
        crd({
          plural: "others",
          kind: "Other",
          schema: {
            type: "object",
            properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } },
          },
        }),
      ),
      bad(
        "default of a wrong type",
        crd({
          plural: "others",
          kind: "Other",
          schema: schema({ type: "object", properties: { a: { type: "string", default: 1 } } }),
        }),
      ),
      bad(
        "default that is pruned",
        crd({ plural: "others", kind: "Other", schema: schema({ type: "object", default: { x: 1 } }) }),
      ),
      bad(
        "keys without a keyed list",
        crd({
          plural: "others",
          kind: "Other",
          schema: schema({ type: "array", "x-kubernetes-list-type": "map", items: { type: "object" } }),
        }),
      ),
      bad(
        "key that is not there",
        crd({
          plural: "others",
          kind: "Other",
          schema: schema({
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["a"],
            items: { type: "object" },
          }),
        }),
      ),
      bad("bad pattern", crd({ plural: "others", kind: "Other", schema: schema({ type: "string", pattern: "(" }) })),
      bad("protected group", crd({ group: "x.k8s.io", plural: "others", kind: "Other" })),
      bad(
        "scale paths",
        crd({
          plural: "others",
          kind: "Other",
          version: { subresources: { scale: { specReplicasPath: ".status.x", statusReplicasPath: ".spec.x" } } },
        }),
      ),
      bad(
        "printer column",
        crd({
          plural: "others",
          kind: "Other",
          version: { additionalPrinterColumns: [{ name: "A", type: "foo", jsonPath: "spec" }] },
        }),
      ),
      bad(
        "selectable field",
        crd({ plural: "others", kind: "Other", version: { selectableFields: [{ jsonPath: ".spec.x" }] } }),
      ),
      post("the same kind", crds, crd({ plural: "gadgets", kind: "Gizmo" })),
      get("names are taken", `${crds}/gadgets.parity.example.com`, {
        until: (body) => Boolean(body.status?.conditions?.length === 2),
      }),
      patch("scope changed", "merge", `${crds}/gizmos.parity.example.com`, { spec: { scope: "Cluster" } }),
      patch("kind changed", "merge", `${crds}/gizmos.parity.example.com`, { spec: { names: { kind: "Other" } } }),
      patch("group changed", "merge", `${crds}/gizmos.parity.example.com`, { spec: { group: "other.example.com" } }),
      remove("delete", `${crds}/gadgets.parity.example.com`),
    ],
  },
  {
    name: "instances",
    steps: [
      post(
        "define",
        crds,
        crd({
          plural: "widgets",
          kind: "Widget",
          version: { subresources: { status: {} } },
          schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { a: { type: "string" }, n: { type: "integer" } } },
              status: anyObject,
            },
          },
        }),
      ),
      established("widgets"),
      post("create", `${custom}/widgets`, make("Widget", "a", { spec: { a: "x", unknown: 1 }, status: { s: 1 } })),
      get("get", `${custom}/widgets/a`),
      get("list", `${custom}/widgets`),
      get("table", `${custom}/widgets`, { accept: tableAccept }),
      post("again", `${custom}/widgets`, make("Widget", "a")),
      post("wrong kind", `${custom}/widgets`, make("Gadget", "b")),
      post("wrong version", `${custom}/widgets`, { ...make("Widget", "b"), apiVersion: "parity.example.com/v2" }),
      post("wrong group", `${custom}/widgets`, { ...make("Widget", "b"), apiVersion: "other.example.com/v1" }),
      post("no kind", `${custom}/widgets`, { metadata: { name: "b" } }),
      post("no name", `${custom}/widgets`, { ...make("Widget", "b"), metadata: {} }),
      post("bad name", `${custom}/widgets`, make("Widget", "B_")),
      post("broken", `${custom}/widgets`, "{"),
      post("wrong type of labels", `${custom}/widgets`, {
        ...make("Widget", "b"),
        metadata: { name: "b", labels: { a: 1 } },
      }),
      post("unqualified finalizer", `${custom}/widgets`, {
        ...make("Widget", "fin"),
        metadata: { name: "fin", finalizers: ["nofq"] },
      }),
      post("text", `${custom}/widgets`, "x", { contentType: "text/plain" }),
      get("as protobuf", `${custom}/widgets/a`, { accept: "application/json;as=Nope;v=v1;g=meta.k8s.io" }),
      put("without version", `${custom}/widgets/a`, make("Widget", "a", { spec: { a: "y" } })),
      put("put", `${custom}/widgets/a`, {
        ...make("Widget", "a", { spec: { a: "y" }, status: { ignored: true } }),
        metadata: { name: "a", resourceVersion: "{{create.metadata.resourceVersion}}" },
      }),
      put("stale", `${custom}/widgets/a`, {
        ...make("Widget", "a"),
        metadata: { name: "a", resourceVersion: "{{create.metadata.resourceVersion}}" },
      }),
      put("missing", `${custom}/widgets/nope`, {
        ...make("Widget", "nope"),
        metadata: { name: "nope", resourceVersion: "1" },
      }),
      patch("status", "merge", `${custom}/widgets/a/status`, {
        metadata: { labels: { a: "b" } },
        spec: { a: "no" },
        status: { s: 2 },
      }),
      get("get status", `${custom}/widgets/a/status`),
      get("no scale", `${custom}/widgets/a/scale`),
      get("unknown version", "/apis/parity.example.com/v9/namespaces/instances/widgets"),
      get("unknown resource", `${custom}/nopes`),
      get("cluster-wide", "/apis/parity.example.com/v1/widgets?limit=500"),
      get("unknown field selector", `${custom}/widgets?fieldSelector=spec.a%3Dx`),
      get("by name", `${custom}/widgets?fieldSelector=metadata.name%3Da`),
      patch("label", "merge", `${custom}/widgets/a`, { metadata: { labels: { l: "m" } } }),
      remove("delete", `${custom}/widgets/a`),
      remove("delete again", `${custom}/widgets/a`),
      remove("delete the definition", `${crds}/widgets.parity.example.com`),
    ],
  },
  {
    name: "columns-and-scale",
    steps: [
      post(
        "define",
        crds,
        crd({
          plural: "scalables",
          kind: "Scalable",
          schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  replicas: { type: "integer" },
                  color: { type: "string" },
                  when: { type: "string", format: "date-time" },
                },
              },
              status: { type: "object", properties: { replicas: { type: "integer" }, selector: { type: "string" } } },
            },
          },
          version: {
            subresources: {
              status: {},
              scale: {
                specReplicasPath: ".spec.replicas",
                statusReplicasPath: ".status.replicas",
                labelSelectorPath: ".status.selector",
              },
            },
            additionalPrinterColumns: [
              { name: "Color", type: "string", jsonPath: ".spec.color" },
              { name: "Replicas", type: "integer", jsonPath: ".spec.replicas", priority: 1 },
              { name: "When", type: "date", jsonPath: ".spec.when" },
              { name: "Missing", type: "string", jsonPath: ".spec.missing" },
            ],
            selectableFields: [{ jsonPath: ".spec.color" }],
          },
        }),
      ),
      established("scalables"),
      post("create", `${custom}/scalables`, make("Scalable", "a", { spec: { replicas: 3, color: "red" } })),
      post("without replicas", `${custom}/scalables`, make("Scalable", "b", { spec: { color: "blue" } })),
      get("table", `${custom}/scalables`, { accept: tableAccept }),
      get("selected", `${custom}/scalables?fieldSelector=spec.color%3Dred`, { accept: tableAccept }),
      get("scale", `${custom}/scalables/a/scale`),
      get("scale without replicas", `${custom}/scalables/b/scale`),
      patch("scaled", "merge", `${custom}/scalables/a/scale`, { spec: { replicas: 5 } }),
      patch("status", "merge", `${custom}/scalables/a/status`, { status: { replicas: 5, selector: "a=b" } }),
      get("scale after status", `${custom}/scalables/a/scale`),
      patch("negative", "merge", `${custom}/scalables/a/scale`, { spec: { replicas: -1 } }),
      get("the parent", `${custom}/scalables/a`),
    ],
  },
  {
    name: "schema-validation",
    steps: [
      post("define", crds, crd({ plural: "checkeds", kind: "Checked", schema: schema(checked) })),
      established("checkeds"),
      ...Object.entries(violations).map(([id, spec], index) =>
        post(
          id,
          `${custom}/checkeds`,
          typeof spec === "string" && spec.startsWith("{") ? spec : make("Checked", `c${index}`, { spec }),
        ),
      ),
      post("defaults", `${custom}/checkeds`, make("Checked", "defaults", { spec: { must: "x", inner: {} } })),
      post(
        "pruned",
        `${custom}/checkeds`,
        make("Checked", "pruned", {
          spec: { must: "x", unknown: { a: 1 }, free: { kept: { deep: 1 } }, map: { a: "b" } },
          stray: 1,
        }),
      ),
    ],
  },
  {
    name: "terminating-definition",
    steps: [
      post("define", crds, crd({ plural: "leavers", kind: "Leaver" })),
      established("leavers"),
      post("create", `${custom}/leavers`, {
        ...make("Leaver", "a"),
        metadata: { name: "a", finalizers: ["example.com/x"] },
      }),
      remove("delete the definition", `${crds}/leavers.parity.example.com`),
      get("terminating", `${crds}/leavers.parity.example.com`, {
        until: (body) => body.status?.conditions?.[2]?.reason === "InstanceDeletionInProgress",
      }),
      get("instance", `${custom}/leavers/a`, { until: (body) => body.metadata?.deletionTimestamp !== undefined }),
      post("create meanwhile", `${custom}/leavers`, make("Leaver", "b")),
      patch("let go", "merge", `${custom}/leavers/a`, { metadata: { finalizers: null } }),
      get("gone", `${crds}/leavers.parity.example.com`, { until: gone }),
    ],
  },
];
