import { get, type Json, patch, post, put, type RequestStep, remove, type Sequence } from "../runner/sequence.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const configMaps = "~/configmaps?dryRun=All";
const deployments = "apps~/deployments?dryRun=All";
const configMap = (name: string, parts: object = {}) => ({ metadata: { name }, data: { a: "b" }, ...parts });
const isDenied = (body: Json): boolean => body.kind === "Status" && body.status === "Failure";
const isAllowed = (body: Json): boolean => !isDenied(body);

const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] };
const only = (namespace: string) => ({ matchLabels: { "kubernetes.io/metadata.name": namespace } });

const webhook = (parts: object = {}) => ({
  name: "a.example.com",
  clientConfig: { url: "https://x.example.com/p" },
  rules: [rule],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  ...parts,
});
const configuration = (id: string, parts: object, kind = "mutating"): RequestStep =>
  post(id, `${group}/${kind}webhookconfigurations?dryRun=All`, { metadata: { name: "w" }, webhooks: [webhook(parts)] });
const at = (clientConfig: object) => ({ clientConfig });
const ruled = (parts: object) => ({ rules: [{ ...rule, ...parts }] });
const service = (parts: object) => at({ service: { name: "a", namespace: "b", ...parts } });
const condition = (expression: string, name = "c") => ({ matchConditions: [{ name, expression }] });

const webhookConfigurations: Sequence = {
  name: "webhook-configurations",
  steps: [
    configuration("good", {}),
    configuration("good validating", {}, "validating"),
    configuration("name", { name: "a.b" }),
    configuration("name letters", { name: "A_.b.c" }),
    configuration("side effects", { sideEffects: "Some" }),
    configuration("no side effects", { sideEffects: undefined }),
    configuration("no versions", { admissionReviewVersions: [] }),
    configuration("versions", { admissionReviewVersions: ["v2"] }),
    configuration("versions twice", { admissionReviewVersions: ["v1", "v1"] }),
    configuration("timeout", { timeoutSeconds: 31 }),
    configuration("failure policy", { failurePolicy: "Foo" }),
    configuration("match policy", { matchPolicy: "Foo" }),
    configuration("reinvocation", { reinvocationPolicy: "Foo" }),
    configuration("nowhere", at({})),
    configuration("two places", at({ url: "https://a/b", service: { name: "a", namespace: "b" } })),
    configuration("http", at({ url: "http://a/b" })),
    configuration("no url", at({ url: "foo" })),
    configuration("no host", at({ url: "https:///b" })),
    configuration("user", at({ url: "https://u:p@a/b" })),
    configuration("query", at({ url: "https://a/b?x=y" })),
    configuration("fragment", at({ url: "https://a/b#x" })),
    configuration("bad url", at({ url: "://" })),
    configuration("service port", service({ port: 70_000 })),
    configuration("service path", service({ path: "x" })),
    configuration("service path parts", service({ path: "/a//b_c" })),
    configuration("operation", ruled({ operations: ["FOO"] })),
    configuration("operations", ruled({ operations: ["*", "CREATE"] })),
    configuration("groups", ruled({ apiGroups: ["*", "a"] })),
    configuration("version", ruled({ apiVersions: [""] })),
    configuration("resources", ruled({ resources: ["*", "pods"] })),
    configuration("all resources", ruled({ resources: ["*/*", "pods"] })),
    configuration("subresources", ruled({ resources: ["pods/*", "pods/status"] })),
    configuration("scope", ruled({ scope: "Foo" })),
    configuration("nothing in a rule", { rules: [{}] }),
    configuration("selector", { namespaceSelector: { matchExpressions: [{ key: "a", operator: "Foo" }] } }),
    configuration("condition", condition("object.metadata.name == 'x'")),
    configuration("condition type", condition("'x'")),
    configuration("condition unknown", condition("params.x == 1")),
    configuration("condition name", condition("true", "a b")),
    post("twice", `${group}/validatingwebhookconfigurations?dryRun=All`, {
      metadata: { name: "w" },
      webhooks: [webhook(), webhook()],
    }),
    post("create", `${group}/validatingwebhookconfigurations`, {
      metadata: { name: "parity" },
      webhooks: [webhook({ ...ruled({ resources: ["pods/none"] }) })],
    }),
    put("put without version", `${group}/validatingwebhookconfigurations/parity`, {
      metadata: { name: "parity" },
      webhooks: [],
    }),
    patch("patch", "strategic", `${group}/validatingwebhookconfigurations/parity`, {
      webhooks: [{ name: "a.example.com", timeoutSeconds: 5 }],
    }),
    remove("delete", `${group}/validatingwebhookconfigurations/parity`),
  ],
};

const called = (id: string, clientConfig: object, parts: object = {}): RequestStep[] => {
  const path = `${group}/validatingwebhookconfigurations`;
  const hook = webhook({ clientConfig, namespaceSelector: only("unreachable-webhooks"), timeoutSeconds: 5, ...parts });
  return [
    post(`${id}: configured`, path, { metadata: { name: `parity-${id}` }, webhooks: [hook] }),
    post(id, configMaps, configMap("x"), { until: isDenied }),
    remove(`${id}: removed`, `${path}/parity-${id}`),
    post(`${id}: without`, configMaps, configMap("x"), { until: isAllowed }),
  ];
};

const unreachableWebhooks: Sequence = {
  name: "unreachable-webhooks",
  steps: [
    ...called("refused", { url: "https://127.0.0.1:1/x" }),
    ...called("no-service", { service: { name: "none", namespace: "default", path: "/x" } }),
    ...called("dry-run", { url: "https://127.0.0.1:1/x" }, condition("object.nope == 1")),
  ],
};

const matching = (namespace: string, parts: object = {}) => ({
  namespaceSelector: only(namespace),
  resourceRules: [{ ...rule, apiGroups: ["", "apps"], resources: ["configmaps", "deployments"], ...parts }],
});
const policies = `${group}/validatingadmissionpolicies`;
const policy = (id: string, parts: object): RequestStep =>
  post(id, `${policies}?dryRun=All`, {
    metadata: { name: "p" },
    spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: "true" }], ...parts },
  });
const checking = (validation: object) => ({ validations: [validation] });
const binding = (id: string, parts: object): RequestStep =>
  post(id, `${group}/validatingadmissionpolicybindings?dryRun=All`, {
    metadata: { name: "b" },
    spec: { policyName: "p", validationActions: ["Deny"], ...parts },
  });

/** Returns the steps to create a policy, wait for it, send requests, and remove it. */
function enforced(name: string, spec: object, bound: object, ...asked: readonly RequestStep[]): RequestStep[] {
  const bindings = `${group}/validatingadmissionpolicybindings`;
  const marker = { name: "marker", expression: "request.name != 'marker'" };
  const { validations = [], ...rest } = spec as { validations?: readonly object[] };
  const whole = {
    matchConstraints: matching("validating-policies"),
    ...rest,
    validations: [{ expression: marker.expression, message: "marker" }, ...validations],
  };
  return [
    post(`${name}: policy`, policies, { metadata: { name: `parity-${name}` }, spec: whole }),
    post(`${name}: binding`, bindings, {
      metadata: { name: `parity-${name}` },
      spec: { policyName: `parity-${name}`, validationActions: ["Deny"], ...bound },
    }),
    post(`${name}: in force`, configMaps, configMap("marker"), { until: isDenied }),
    ...asked,
    remove(`${name}: unbound`, `${bindings}/parity-${name}`),
    remove(`${name}: removed`, `${policies}/parity-${name}`),
    post(`${name}: no longer in force`, configMaps, configMap("marker"), { until: isAllowed }),
  ];
}

const validatingPolicies: Sequence = {
  name: "validating-policies",
  steps: [
    policy("good", {}),
    policy("nothing", { matchConstraints: undefined, validations: [] }),
    policy("no rules", { matchConstraints: {} }),
    policy("failure policy", { failurePolicy: "Foo" }),
    policy("no expression", checking({ expression: " " })),
    policy("unknown variable", checking({ expression: "foo" })),
    policy("no condition", checking({ expression: "object.x" })),
    policy("syntax", checking({ expression: "1 +" })),
    policy("message", checking({ expression: "true", message: "a\nb" })),
    policy("message expression", checking({ expression: "true", messageExpression: "1" })),
    policy("reason", checking({ expression: "true", reason: "Foo" })),
    policy("request", checking({ expression: "request.foo == 1" })),
    policy("no params", checking({ expression: "params.x == 1" })),
    policy("param kind", { paramKind: { apiVersion: "a/b/c", kind: "X" } }),
    policy("half a param kind", { paramKind: { apiVersion: "v1" } }),
    policy("condition", { matchConditions: [{ name: "a", expression: "1" }] }),
    policy("variable", { variables: [{ name: "for", expression: "foo" }] }),
    policy("variables in order", {
      variables: [
        { name: "a", expression: "variables.b" },
        { name: "b", expression: "1" },
      ],
    }),
    policy("annotation", { auditAnnotations: [{ key: "a b", valueExpression: "1" }] }),
    binding("bound", {}),
    binding("to nothing", { policyName: "" }),
    binding("without actions", { validationActions: [] }),
    binding("deny and warn", { validationActions: ["Deny", "Warn"] }),
    binding("param reference", { paramRef: {} }),
    binding("two param references", { paramRef: { name: "a", selector: {}, parameterNotFoundAction: "Deny" } }),
    ...enforced(
      "texts",
      {
        validations: [
          { expression: "request.name != 'a'", message: " fixed ", reason: "Forbidden" },
          { expression: "request.name != 'b'", messageExpression: "'name ' + object.metadata.name" },
          { expression: "request.name != 'c'", messageExpression: "'x' + object.nope" },
          { expression: "request.name != 'd' || object.nope == 1" },
          { expression: "request.name != 'e'", reason: "RequestEntityTooLarge" },
        ],
      },
      {},
      ...["a", "b", "c", "d", "e", "f"].map((name) => post(`texts: ${name}`, configMaps, configMap(name))),
    ),
    ...enforced(
      "variables",
      {
        variables: [
          { name: "size", expression: "object.data.size()" },
          { name: "broken", expression: "object.nope" },
        ],
        validations: [
          { expression: "variables.size < 2", messageExpression: "'size ' + string(variables.size)" },
          { expression: "request.name != 'broken' || variables.broken == 1" },
        ],
      },
      {},
      post("variables: fine", configMaps, configMap("x")),
      post("variables: large", configMaps, configMap("x", { data: { a: "b", c: "d" } })),
      post("variables: broken", configMaps, configMap("broken")),
    ),
    ...enforced(
      "params",
      { paramKind: { apiVersion: "v1", kind: "Secret" } },
      { paramRef: { name: "none", parameterNotFoundAction: "Deny" } },
      post("params: none", configMaps, configMap("x")),
    ),
    ...enforced("unknown-params", { paramKind: { apiVersion: "none.example.com/v1", kind: "None" } }, {}),
  ],
};

const applied = (expression: string) => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } });
const patched = (expression: string) => ({ patchType: "JSONPatch", jsonPatch: { expression } });
const mutation = (id: string, ...mutations: readonly object[]): RequestStep =>
  post(id, `${group}/mutatingadmissionpolicies?dryRun=All`, {
    metadata: { name: "p" },
    spec: { matchConstraints: { resourceRules: [rule] }, reinvocationPolicy: "Never", mutations },
  });

const deployment = {
  metadata: { name: "d" },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i", command: ["x"] }] } },
  },
};
const spec = "Object.spec.template.spec";

/** Returns the steps for several policies, each for objects of its name. All of them mark the objects that they see. */
function mutating(cases: Readonly<Record<string, readonly [mutation: object, body?: object]>>): RequestStep[] {
  const names = Object.keys(cases);
  const [plural, bindings] = [`${group}/mutatingadmissionpolicies`, `${group}/mutatingadmissionpolicybindings`];
  return names.flatMap((name) => {
    const [change, body] = cases[name] ?? [{}];
    const own = body ? { ...body, metadata: { name } } : configMap(name);
    const marker = patched("[JSONPatch{op: 'remove', path: '/none'}]");
    const policyOf = (suffix: string, mutations: readonly object[]): RequestStep[] => [
      post(`${name}: policy${suffix}`, plural, {
        metadata: { name: `parity-${name}${suffix}` },
        spec: {
          matchConstraints: matching("mutating-policies"),
          matchConditions: [{ name: "own", expression: `request.name == '${suffix === "" ? name : "marker"}'` }],
          reinvocationPolicy: "Never",
          mutations,
        },
      }),
      post(`${name}: binding${suffix}`, bindings, {
        metadata: { name: `parity-${name}${suffix}` },
        spec: { policyName: `parity-${name}${suffix}` },
      }),
    ];
    return [
      ...policyOf("", [change]),
      ...policyOf("-marker", [marker]),
      post(`${name}: in force`, configMaps, configMap("marker"), { until: isDenied }),
      post(name, body ? deployments : configMaps, own),
      ...["", "-marker"].flatMap((suffix) => [
        remove(`${name}: unbound${suffix}`, `${bindings}/parity-${name}${suffix}`),
        remove(`${name}: removed${suffix}`, `${plural}/parity-${name}${suffix}`),
      ]),
      post(`${name}: no longer in force`, configMaps, configMap("marker"), { until: isAllowed }),
    ];
  });
}

const mutatingPolicies: Sequence = {
  name: "mutating-policies",
  steps: [
    mutation("good", applied("Object{data: {'x': 'y'}}")),
    mutation("nothing"),
    mutation("no type", {}),
    mutation("unknown type", { patchType: "Foo" }),
    mutation("no patch", { patchType: "JSONPatch" }),
    mutation("other patch", { patchType: "JSONPatch", applyConfiguration: { expression: "Object{}" } }),
    mutation("no expression", applied("")),
    mutation("no object", applied("{}")),
    mutation("unknown variable", applied("foo")),
    mutation("no patches", patched("[1]")),
    mutation("wrong member", patched("[JSONPatch{op: 1}]")),
    post("bad binding", `${group}/mutatingadmissionpolicybindings?dryRun=All`, {
      metadata: { name: "b" },
      spec: { policyName: "p", matchResources: { resourceRules: [{ ...rule, operations: ["DELETE"] }] } },
    }),
    ...mutating({
      labels: [applied("Object{metadata: Object.metadata{labels: {'added': request.operation}}}")],
      sidecar: [
        applied(
          `Object{spec: Object.spec{replicas: 3, template: Object.spec.template{spec: ${spec}{containers: [${spec}.containers{name: 'side', image: 'car'}]}}}}`,
        ),
        deployment,
      ],
      atomic: [
        applied(
          `Object{spec: Object.spec{template: Object.spec.template{spec: ${spec}{containers: [${spec}.containers{name: 'c', command: ['y']}]}}}}`,
        ),
        deployment,
      ],
      unknown: [applied("Object{foo: 'x'}")],
      "wrong-type": [applied("Object{data: 'x'}")],
      "wrong-name": [applied("Object{data: Object.foo{a: 'x'}}")],
      broken: [applied("Object{data: {'x': object.nope}}")],
      patched: [patched("[JSONPatch{op: 'add', path: '/data/x', value: object.data.a}]")],
      tested: [
        patched("[JSONPatch{op: 'test', path: '/data/a', value: 'z'}, JSONPatch{op: 'remove', path: '/data/a'}]"),
      ],
      misfit: [patched("[JSONPatch{op: 'remove', path: '/data/z'}]")],
      strict: [patched("[JSONPatch{op: 'add', path: '/nope', value: 5}]")],
    }),
    get("policies", `${group}/mutatingadmissionpolicies`),
  ],
};

/** Configured admission: policies, and webhooks without a server. */
export const admission: readonly Sequence[] = [
  webhookConfigurations,
  unreachableWebhooks,
  validatingPolicies,
  mutatingPolicies,
];
