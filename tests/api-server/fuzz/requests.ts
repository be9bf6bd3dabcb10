import fc from "fast-check";

/** A request as bytes, valid or not. */
export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const resources = [
  "/api/v1/namespaces/default/configmaps",
  "/api/v1/namespaces/default/pods",
  "/api/v1/namespaces/default/services",
  "/api/v1/namespaces/default/secrets",
  "/api/v1/namespaces",
  "/api/v1/nodes",
  "/apis/apps/v1/namespaces/default/deployments",
  "/apis/batch/v1/namespaces/default/jobs",
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
  "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  "/apis/example.com/v1/namespaces/default/sites",
  "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
  "/apis/events.k8s.io/v1/namespaces/default/events",
];
const kinds = [
  "ConfigMap",
  "Pod",
  "Service",
  "Secret",
  "Namespace",
  "Deployment",
  "Job",
  "Site",
  "Event",
  "Nonsense",
  "",
];

const name = fc.oneof(
  fc.constantFrom("a", "b", "c", "kubernetes", "default", "sites.example.com"),
  fc.string({ maxLength: 12 }).map(encodeURIComponent),
  fc.constantFrom(
    "..",
    "%2e%2e",
    "..%2f..%2fsecrets",
    "%00",
    "a%2Fb",
    "%ff",
    "x".repeat(300),
    "A",
    "-",
    "%",
    "%zz",
    "a;b",
  ),
);
const subresource = fc.constantFrom(
  "status",
  "scale",
  "log",
  "exec",
  "eviction",
  "binding",
  "finalize",
  "token",
  "nope",
  "..",
);

const path = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(...resources), fc.option(name), fc.option(subresource, { freq: 4 }))
      .map(([collection, object, part]) =>
        [collection, object, object === null ? null : part].filter((step) => step !== null).join("/"),
      ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "/",
      "/api",
      "/apis",
      "/apis/apps",
      "/apis/apps/v1",
      "/openapi/v3",
      "/openapi/v2",
      "/version",
      "/healthz",
      "/readyz?verbose",
      "/metrics",
      "/apis/example.com",
      "//",
      "/api//v1",
      "/api/v1/watch/pods?timeoutSeconds=1",
    ),
  },
  { weight: 1, arbitrary: fc.array(name, { maxLength: 8 }).map((steps) => `/${steps.join("/")}`) },
);

const parameter = fc.tuple(
  fc.constantFrom(
    "watch",
    "limit",
    "continue",
    "resourceVersion",
    "resourceVersionMatch",
    "labelSelector",
    "fieldSelector",
    "timeoutSeconds",
    "dryRun",
    "fieldManager",
    "fieldValidation",
    "force",
    "propagationPolicy",
    "gracePeriodSeconds",
    "sendInitialEvents",
    "allowWatchBookmarks",
    "pretty",
    "includeObject",
    "nonsense",
  ),
  fc.oneof(
    fc.constantFrom(
      "",
      "true",
      "false",
      "0",
      "1",
      "-1",
      "99999999999999999999",
      "NaN",
      "All",
      "Strict",
      "Warn",
      "Exact",
      "NotOlderThan",
      "Foreground",
      "a=b",
      "a in (b,c)",
      "a in (",
      "metadata.name=a",
      "spec.nope=x",
      "!a",
      ",,",
      "é",
    ),
    fc.string({ maxLength: 20 }),
  ),
);
const query = fc.array(parameter, { maxLength: 4 }).map((parameters) => {
  const text = parameters.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
  return text.includes("watch=") ? `timeoutSeconds=1&${text}` : text; // a watch that ends soon
});

const shallow = fc.oneof(
  fc.string({ maxLength: 10 }),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({}),
);
const anything = fc.oneof(
  shallow,
  fc.array(shallow, { maxLength: 3 }),
  fc.dictionary(fc.string({ maxLength: 8 }), shallow, { maxKeys: 4 }),
  fc.jsonValue(),
);

const metadata = fc.record(
  {
    name: fc.oneof(fc.constantFrom("a", "b", "c", "A", "", "x".repeat(260)), shallow),
    namespace: fc.oneof(fc.constantFrom("default", "other"), shallow),
    generateName: fc.oneof(fc.constant("g-"), shallow),
    labels: anything,
    annotations: anything,
    finalizers: anything,
    ownerReferences: anything,
    resourceVersion: fc.oneof(fc.constantFrom("1", "x"), shallow),
    uid: shallow,
    managedFields: anything,
    creationTimestamp: shallow,
    deletionTimestamp: shallow,
  },
  { requiredKeys: [] },
);
const object = fc.record(
  {
    apiVersion: fc.oneof(fc.constantFrom("v1", "apps/v1", "example.com/v1", "a/b/c", ""), shallow),
    kind: fc.oneof(fc.constantFrom(...kinds), shallow),
    metadata: fc.oneof({ weight: 4, arbitrary: metadata }, { weight: 1, arbitrary: anything }),
    spec: anything,
    status: anything,
    data: anything,
    rules: anything,
  },
  { requiredKeys: [] },
);
const operation = fc.record(
  {
    op: fc.oneof(fc.constantFrom("add", "remove", "replace", "move", "copy", "test", "nope"), shallow),
    path: fc.oneof(
      fc.constantFrom("/metadata/labels", "/data/a", "/spec", "", "/", "/metadata/name", "nope", "/a/-", "/~2"),
      shallow,
    ),
    from: fc.oneof(fc.constantFrom("/data/a", "/spec", "nope"), shallow),
    value: anything,
  },
  { requiredKeys: [] },
);

const text = fc.oneof(
  { weight: 6, arbitrary: object.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: fc.array(operation, { maxLength: 4 }).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.jsonValue().map((value) => JSON.stringify(value)) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 20_000 }).map((depth) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 20_000 }).map((depth) => "[".repeat(depth)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "a: &x [*x]",
      "a: !!js/function x",
      "{a: b",
      "- - - -",
      "a: 1\na: 2",
      "\u0000",
      "﻿{}",
      "kind: ConfigMap\nmetadata: {name: a}",
    ),
  },
);
const body = fc.oneof(
  { weight: 8, arbitrary: text.map((value) => Buffer.from(value)) },
  {
    weight: 2,
    arbitrary: fc.tuple(text, fc.double({ min: 0, max: 1, noNaN: true })).map(([value, share]) => {
      const whole = Buffer.from(value);
      return whole.subarray(0, Math.floor(whole.length * share));
    }),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ maxLength: 200 })
      .map((bytes) => Buffer.concat([Buffer.from("k8s\0"), Buffer.from(bytes)])),
  },
  { weight: 1, arbitrary: fc.constant(Buffer.alloc(0)) },
);

const contentType = fc.constantFrom(
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/merge-patch+json",
  "application/json-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
  "text/plain",
  "",
  "application/json; charset=",
  ";;;",
);
const accept = fc.constantFrom(
  "application/json",
  "*/*",
  "application/yaml",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
  "application/json;as=Nonsense;v=v9;g=x",
  "application/vnd.kubernetes.protobuf",
  "text/html",
  "",
  ";q=;",
  "application/cbor",
);
const header = fc.tuple(
  fc.constantFrom(
    "impersonate-user",
    "impersonate-group",
    "impersonate-uid",
    "user-agent",
    "x-forwarded-for",
    "accept-encoding",
    "if-none-match",
    "range",
  ),
  fc.string({ unit: fc.constantFrom(..."abcXYZ019:;,-_./* "), maxLength: 20 }),
);

/** Requests of all kinds: most are almost valid, some are far from it. */
export const fuzzedRequest: fc.Arbitrary<FuzzedRequest> = fc
  .record({
    method: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"),
    path,
    query,
    contentType,
    accept,
    more: fc.array(header, { maxLength: 2 }),
    body,
  })
  .map(({ method, path, query, contentType, accept, more, body }) => ({
    method,
    path: query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`,
    headers: { accept, "content-type": contentType, ...Object.fromEntries(more) },
    body: method === "GET" || method === "HEAD" || method === "TRACE" ? Buffer.alloc(0) : body,
  }));
