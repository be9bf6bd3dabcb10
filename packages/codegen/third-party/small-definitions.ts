import type { StructuralSchema } from "@kubewright/apimachinery";
import type { Definition, DefinitionVersion } from "../src/source/definition.ts";

const text: StructuralSchema = { type: "string" };
const int32: StructuralSchema = { type: "integer", format: "int32" };

const object = (
  properties: Record<string, StructuralSchema>,
  required: string[] = [],
  more: StructuralSchema = {},
): StructuralSchema => ({ type: "object", properties, ...(required.length > 0 ? { required } : {}), ...more });

const listOf = (items: StructuralSchema, more: StructuralSchema = {}): StructuralSchema => ({
  type: "array",
  items,
  ...more,
});

const rule = (expression: string, message?: string) => ({ rule: expression, ...(message ? { message } : {}) });

const header = { apiVersion: text, kind: text, metadata: { type: "object" } } as const;

const version = (name: string, schema: StructuralSchema, more: Partial<DefinitionVersion> = {}): DefinitionVersion => ({
  name,
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  ...more,
});

const crd = (group: string, kind: string, plural: string, ...versions: DefinitionVersion[]): Definition => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.${group}`, annotations: { "controller-gen.kubebuilder.io/version": "v0.18.0" } },
  spec: {
    group,
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
    scope: "Namespaced",
    versions,
  },
});

const condition = object(
  {
    lastTransitionTime: { ...text, format: "date-time" },
    message: { ...text, maxLength: 32_768 },
    observedGeneration: { type: "integer", format: "int64", minimum: 0 },
    reason: { ...text, maxLength: 1_024, minLength: 1, pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$" },
    status: { ...text, enum: ["True", "False", "Unknown"] },
    type: { ...text, maxLength: 316 },
  },
  ["lastTransitionTime", "message", "reason", "status", "type"],
);
const conditions = listOf(condition, { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] });

const requirement = object(
  { key: text, operator: text, values: listOf(text, { "x-kubernetes-list-type": "atomic" }) },
  ["key", "operator"],
);
const selector = object(
  { matchExpressions: listOf(requirement), matchLabels: { type: "object", additionalProperties: text } },
  [],
  { "x-kubernetes-map-type": "atomic" },
);
const secretKey = object({ key: text, name: { ...text, default: "" }, optional: { type: "boolean" } }, ["key"]);
const quantity: StructuralSchema = {
  anyOf: [{ type: "integer" }, { type: "string" }],
  pattern:
    "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$",
  "x-kubernetes-int-or-string": true,
};

/** Returns a schema in which each level repeats the generators of the level below. */
const generators = (depth: number): StructuralSchema =>
  listOf(
    object({
      list: object({ elements: listOf({ "x-kubernetes-preserve-unknown-fields": true }), template: text }),
      clusters: object({ selector, values: { type: "object", additionalProperties: text } }),
      ...(depth > 0 ? { matrix: object({ generators: generators(depth - 1) }, ["generators"]) } : {}),
    }),
  );

const route = (port: StructuralSchema): StructuralSchema =>
  object(
    {
      group: { ...text, default: "", maxLength: 253 },
      kind: { ...text, default: "Service", maxLength: 63 },
      name: { ...text, minLength: 1, maxLength: 253 },
      port,
    },
    ["name"],
    { "x-kubernetes-validations": [rule("self.kind == 'Service' ? has(self.port) : true", "must have port")] },
  );

/**
 * Definitions like those of other projects: each contains something that made a generator fail, or its result hard to read. They are our
 * own, so that the tests need no download.
 */
export const smallDefinitions: readonly Definition[] = [
  // The schema requires the metadata, and lists nest.
  crd(
    "apps.example.com",
    "Fleet",
    "fleets",
    version(
      "v1alpha1",
      object(
        {
          ...header,
          spec: object({ generators: generators(3), template: object({ metadata: object({ name: text }) }) }, [
            "generators",
          ]),
        },
        ["metadata", "spec"],
      ),
    ),
  ),
  // Pod templates, with quantities, and secrets in many places.
  crd(
    "batch.example.com",
    "Runner",
    "runners",
    version(
      "v1",
      object({
        ...header,
        spec: object({
          resources: object({
            claims: listOf(object({ name: text, request: text }, ["name"])),
            limits: { type: "object", additionalProperties: quantity },
            requests: { type: "object", additionalProperties: quantity },
          }),
          tokenSecretRef: secretKey,
          passwordSecretRef: secretKey,
          replicas: { ...int32, default: 1, minimum: 0 },
          toleration: object({
            effect: text,
            key: text,
            operator: text,
            tolerationSeconds: { type: "integer", format: "int64" },
            value: text,
          }),
        }),
        status: object({ conditions, ready: int32 }),
      }),
      { subresources: { status: {} } },
    ),
  ),
  // Two kinds of the same name.
  ...["networking.mesh.example.com", "gateway.example.org"].map((group) =>
    crd(
      group,
      "Gateway",
      "gateways",
      version(
        "v1",
        object({
          ...header,
          spec: object({ hosts: listOf(text, { "x-kubernetes-list-type": "set", maxItems: 4 }), selector }),
        }),
      ),
    ),
  ),
  // A choice between fields, and rules of the items of lists.
  crd(
    "gateway.example.org",
    "TcpRoute",
    "tcproutes",
    version(
      "v1",
      object(
        {
          ...header,
          spec: object(
            {
              rules: listOf(
                object({ backendRefs: listOf(route(int32), { minItems: 1, maxItems: 16 }) }, ["backendRefs"]),
                { minItems: 1 },
              ),
            },
            ["rules"],
          ),
        },
        ["spec"],
      ),
    ),
  ),
  crd(
    "extensions.example.com",
    "Filter",
    "filters",
    version(
      "v1",
      object(
        {
          ...header,
          spec: object({ wasm: object({ url: text }, ["url"]), lua: object({ inline: text }, ["inline"]) }, [], {
            "x-kubernetes-validations": [
              rule("(has(self.wasm) ? 1 : 0) + (has(self.lua) ? 1 : 0) == 1", "exactly one of wasm or lua must be set"),
            ],
          }),
        },
        ["spec"],
      ),
    ),
  ),
  // A pattern without example, and a rule that no value in it solves.
  crd(
    "secrets.example.com",
    "Store",
    "stores",
    version(
      "v1",
      object(
        {
          ...header,
          spec: object(
            { arn: { ...text, pattern: "^arn:[a-z]+:[0-9]{12}$" }, size: int32, factor: int32 },
            ["arn", "size", "factor"],
            {
              "x-kubernetes-validations": [rule("self.size * self.factor == 391", "the product must be 391")],
            },
          ),
        },
        ["spec"],
      ),
    ),
  ),
  // The object needs any of its fields.
  crd(
    "cluster.example.com",
    "Machine",
    "machines",
    version(
      "v1beta1",
      object(
        {
          ...header,
          spec: object(
            {
              templateRef: object({ apiVersion: { ...text, pattern: "^.+/.+$" } }, ["apiVersion"]),
              paused: { type: "boolean" },
            },
            [],
            { minProperties: 1 },
          ),
        },
        ["spec"],
      ),
    ),
  ),
  // Several versions, of which one is not served, with the same parts.
  crd(
    "backup.example.com",
    "Schedule",
    "schedules",
    version(
      "v1",
      object({ ...header, spec: object({ cron: text, ttl: { ...text, format: "duration" }, selector }, ["cron"]) }),
    ),
    version("v1beta1", object({ ...header, spec: object({ schedule: text, selector }) }), {
      storage: false,
      deprecated: true,
    }),
    version("v1alpha1", object({ ...header, spec: object({ schedule: text }) }), { storage: false, served: false }),
  ),
  // Numbers at their limits, and enums.
  crd(
    "scale.example.com",
    "Scaler",
    "scalers",
    version(
      "v1",
      object({
        ...header,
        spec: object({
          min: { ...int32, minimum: 0, maximum: 100 },
          step: { type: "integer", multipleOf: 5 },
          ratio: { type: "number", format: "double", minimum: 0, exclusiveMinimum: true, maximum: 1 },
          weight: { type: "number", format: "float" },
          level: { type: "integer", enum: [1, 2, 3] },
          mode: { ...text, enum: ["Fast", "Slow"], default: "Slow" },
          name: { ...text, pattern: "^\\PC*$" },
          day: { ...text, pattern: "^((?i)sun|mon)day$" },
          at: { ...text, format: "date-time", nullable: true },
          surge: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
        }),
      }),
      {
        subresources: { status: {}, scale: { specReplicasPath: ".spec.min", statusReplicasPath: ".status.replicas" } },
      },
    ),
  ),
  // Objects of any kind, and fields that no schema describes.
  crd(
    "policy.example.com",
    "Policy",
    "policies",
    version(
      "v1",
      object({
        ...header,
        spec: object({
          resource: {
            type: "object",
            "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true,
          },
          context: { "x-kubernetes-preserve-unknown-fields": true },
          open: object({ name: text }, [], { "x-kubernetes-preserve-unknown-fields": true }),
          exclude: object(
            { any: listOf(object({ names: listOf(text) })), all: listOf(object({ names: listOf(text) })) },
            [],
            {
              not: { required: ["any", "all"] },
            },
          ),
          "match-labels": { type: "object", additionalProperties: { ...text, maxLength: 63 }, maxProperties: 8 },
        }),
      }),
    ),
  ),
  // Nothing but fields without a type, and a kind named like a global.
  crd(
    "misc.example.com",
    "Map",
    "maps",
    version(
      "v1",
      { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      { additionalPrinterColumns: [{ name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" }] },
    ),
  ),
];
