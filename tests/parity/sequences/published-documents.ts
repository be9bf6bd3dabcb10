import { createHash } from "node:crypto";
import { get, type Json, post, type Sequence } from "../runner/sequence.ts";

const swaggerTypes = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";

/** Removes descriptions, sorts members, and replaces references to shared parameters of a v2 document. */
function bare(value: Json, parameters: Json = {}, isProperties = false): Json {
  if (Array.isArray(value)) return value.map((item) => bare(item, parameters));
  if (typeof value !== "object" || value === null) return value;
  const shared = typeof value.$ref === "string" ? /^#\/parameters\/(.+)$/.exec(value.$ref)?.[1] : undefined;
  if (shared !== undefined) return bare(parameters[shared], parameters);
  const entries = Object.entries<Json>(value)
    .filter(([name, member]) => isProperties || name !== "description" || typeof member !== "string")
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, bare(member, parameters, name === "properties" && !isProperties)]);
  return Object.fromEntries(entries);
}

const digest = (value: Json): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 12);

const digests = (members: Json, parameters?: Json): Json =>
  Object.fromEntries(
    Object.entries<Json>(members ?? {})
      .filter(([name]) => !name.includes("example.com") && !name.startsWith("com.example"))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, digest(bare(member, parameters))]),
  );

/** Returns a digest of each definition and path, because whole documents have megabytes. */
const digestsV2 = ({ swagger, info, security, securityDefinitions, paths, definitions, parameters }: Json) => ({
  swagger,
  info,
  security,
  securityDefinitions,
  paths: digests(paths, parameters),
  definitions: digests(definitions),
});

const digestsV3 = ({ openapi, info, paths, components }: Json) => ({
  openapi,
  info,
  paths: digests(paths),
  schemas: digests(components.schemas),
  securitySchemes: components.securitySchemes,
});

const documents = [
  "api",
  "api/v1",
  "apis",
  "apis/admissionregistration.k8s.io/v1",
  "apis/apiextensions.k8s.io/v1",
  "apis/apiregistration.k8s.io/v1",
  "apis/apps",
  "apis/apps/v1",
  "apis/authentication.k8s.io/v1",
  "apis/authorization.k8s.io/v1",
  "apis/autoscaling/v1",
  "apis/autoscaling/v2",
  "apis/batch/v1",
  "apis/certificates.k8s.io/v1",
  "apis/coordination.k8s.io/v1",
  "apis/discovery.k8s.io/v1",
  "apis/events.k8s.io/v1",
  "apis/flowcontrol.apiserver.k8s.io/v1",
  "apis/networking.k8s.io/v1",
  "apis/node.k8s.io/v1",
  "apis/policy/v1",
  "apis/rbac.authorization.k8s.io/v1",
  "apis/resource.k8s.io/v1",
  "apis/scheduling.k8s.io/v1",
  "apis/storage.k8s.io/v1",
  "openid/v1/jwks",
  "version",
];

const group = "documents.example.com";

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `gauges.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "gauges", kind: "Gauge" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        selectableFields: [{ jsonPath: ".spec.color" }],
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "A gauge.",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                required: ["color", "maybe"],
                properties: {
                  color: {
                    type: "string",
                    enum: ["red", "blue"],
                    default: "red",
                    description: "Its colour.",
                    maxLength: 10,
                  },
                  replicas: { type: "integer", format: "int32", minimum: 0 },
                  maybe: { type: "string", nullable: true },
                  open: {
                    type: "object",
                    "x-kubernetes-preserve-unknown-fields": true,
                    properties: { a: { type: "string" } },
                  },
                  port: { "x-kubernetes-int-or-string": true },
                  parts: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
                  },
                  labels: { type: "object", additionalProperties: { type: "string" } },
                  inner: {
                    type: "object",
                    "x-kubernetes-embedded-resource": true,
                    properties: { spec: { type: "object" } },
                  },
                  choice: {
                    type: "object",
                    properties: { a: { type: "string" }, b: { type: "string" } },
                    oneOf: [{ required: ["a"] }, { required: ["b"] }],
                  },
                  level: { type: "integer", "x-kubernetes-validations": [{ rule: "self > 0", message: "positive" }] },
                },
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
      {
        name: "v1alpha1",
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
      { name: "v2", served: false, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
    ],
  },
};

const customV2 = ({ definitions, paths, parameters }: Json) => ({
  definitions: Object.fromEntries(
    Object.entries<Json>(definitions).filter(([name]) => name.startsWith("com.example.documents.")),
  ),
  paths: bare(Object.fromEntries(Object.entries<Json>(paths).filter(([name]) => name.includes(group))), parameters),
});

const customV3 = ({ info, components, paths }: Json) => ({
  info,
  schemas: Object.fromEntries(
    Object.entries<Json>(components.schemas).filter(([name]) => name.startsWith("com.example.documents.")),
  ),
  others: Object.keys(components.schemas).sort(),
  paths: bare(paths),
});

const hasGauges = (body: Json): boolean => body.definitions?.["com.example.documents.v1.Gauge"] !== undefined;

export const publishedDocuments: readonly Sequence[] = [
  {
    name: "openapi-v2",
    steps: [
      get("json", "/openapi/v2", { accept: "application/json", pick: digestsV2 }),
      get("protobuf", "/openapi/v2", { accept: swaggerTypes, pick: () => undefined }),
      get("protobuf, else json", "/openapi/v2", { accept: `${swaggerTypes}, application/json`, pick: () => undefined }),
      get("yaml", "/openapi/v2", { accept: "application/yaml" }),
      get("trailing slash", "/openapi/v2/"),
      get("nothing above", "/openapi"),
    ].filter(({ id }) => !id.startsWith("protobuf")),
  },
  {
    name: "openapi-v3",
    steps: [
      get("index", "/openapi/v3", {
        pick: ({ paths }) =>
          Object.keys(paths)
            .filter((path) => !path.includes("example.com"))
            .sort(),
      }),
      ...documents.map((name) => get(name, `/openapi/v3/${name}`, { pick: digestsV3 })),
      get("a wrong hash", "/openapi/v3/version?hash=ABC", { pick: () => undefined }),
      get("yaml", "/openapi/v3/version", { accept: "application/yaml" }),
      get("nothing of the kind", "/openapi/v3/nope"),
    ].filter(({ id }) => id !== "a wrong hash"),
  },
  {
    name: "openapi-custom",
    steps: [
      post("define", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition, {
        pick: ({ metadata: { name } }) => name,
      }),
      get("v2", "/openapi/v2", { accept: "application/json", until: hasGauges, pick: customV2 }),
      get("v3", `/openapi/v3/apis/${group}/v1`, {
        until: (body) => body.components !== undefined,
        pick: customV3,
      }),
      get("v3 of an open version", `/openapi/v3/apis/${group}/v1alpha1`, {
        until: (body) => body.components !== undefined,
        pick: customV3,
      }),
      get("v3 of a version that is not served", `/openapi/v3/apis/${group}/v2`),
      get("its service", `/apis/apiregistration.k8s.io/v1/apiservices/v1.${group}`, {
        until: ({ kind }) => kind === "APIService",
        pick: ({ metadata, spec, status }) => ({ labels: metadata.labels, spec, status }),
      }),
    ],
  },
];
