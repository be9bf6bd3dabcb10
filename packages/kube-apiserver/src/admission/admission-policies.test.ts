import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient } from "../server/testing/api-client.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const configMaps = "/api/v1/namespaces/default/configmaps";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const configMap = { metadata: { name: "x" }, data: { a: "b" } };
const deployment = {
  metadata: { name: "d" },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
};
const matchConstraints = {
  resourceRules: [
    {
      operations: ["CREATE", "UPDATE"],
      apiGroups: ["", "apps"],
      apiVersions: ["v1"],
      resources: ["configmaps", "deployments"],
    },
  ],
};

let server: ApiServer;
let api: ApiClient;
beforeEach(async () => {
  server = await ApiServer.start({ tls: false, checkPolicyTypes: true });
  api = new ApiClient(server);
});
afterEach(async () => {
  api.close();
  await server.stop();
});

async function create(plural: string, name: string, spec: object): Promise<void> {
  const { status, body } = await api.post(`${group}/${plural}`, { metadata: { name }, spec });
  expect(status, body.message).toBe(201);
}

async function validate(spec: object, binding: object = {}): Promise<void> {
  await create("validatingadmissionpolicies", "p", { matchConstraints, ...spec });
  await create("validatingadmissionpolicybindings", "b", { policyName: "p", validationActions: ["Deny"], ...binding });
}

const denied = (why: string): string =>
  `configmaps "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${why}`;

describe("a validating policy", () => {
  it.each([
    ["the expression", { expression: "object.data.a != 'b'" }, 422, "failed expression: object.data.a != 'b'"],
    ["its message", { expression: "false", message: "no", reason: "Forbidden" }, 403, "no"],
    [
      "the result of its message expression",
      { expression: "false", messageExpression: "'a is ' + object.data.a" },
      422,
      "a is b",
    ],
    [
      "why it cannot be evaluated",
      { expression: "object.nope == 1" },
      422,
      "expression 'object.nope == 1' resulted in error: no such key: nope",
    ],
  ])("denies and reports %s", async (_what, validation, code, why) => {
    await validate({ validations: [validation] });
    const { body } = await api.post(configMaps, configMap);
    expect(body).toMatchObject({ code, message: denied(why), details: { causes: [{ message: expect.any(String) }] } });
  });

  it("warns if its binding only requires that", async () => {
    await validate({ validations: [{ expression: "false", message: "careful" }] }, { validationActions: ["Warn"] });
    const { status, headers } = await api.post(configMaps, configMap);
    expect(status).toBe(201);
    expect(headers.warning).toBe(
      `299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': careful"`,
    );
  });

  it("knows variables, the namespace and the user's permissions", async () => {
    await validate({
      variables: [{ name: "keys", expression: "object.data.size()" }],
      validations: [
        {
          expression: "authorizer.group('').resource('pods').check('get').allowed() && variables.keys == 0",
          messageExpression: "namespaceObject.metadata.name + ' ' + string(variables.keys) + ' ' + request.operation",
        },
      ],
    });
    expect((await api.post(configMaps, configMap)).body.message).toBe(denied("default 1 CREATE"));
  });

  it("is skipped if a condition is false", async () => {
    const matchConditions = [{ name: "others", expression: "request.name != 'x'" }];
    await validate({ matchConditions, validations: [{ expression: "false" }] });
    expect((await api.post(configMaps, configMap)).status).toBe(201);
  });

  it("takes parameters from objects that its binding selects", async () => {
    const paramKind = { apiVersion: "v1", kind: "Secret" };
    const paramRef = { selector: { matchLabels: { limits: "yes" } }, parameterNotFoundAction: "Deny" };
    await validate({ paramKind, validations: [{ expression: "params.metadata.name == 's'" }] }, { paramRef });
    expect((await api.post(configMaps, configMap)).body.message).toBe(
      denied("failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"),
    );
    await api.post("/api/v1/namespaces/default/secrets", { metadata: { name: "s", labels: { limits: "yes" } } });
    expect((await api.post(configMaps, configMap)).status).toBe(201);
  });

  it("reports type errors for its kinds in its status", async () => {
    const resourceRules = [{ operations: ["*"], apiGroups: ["apps"], apiVersions: ["v1"], resources: ["deployments"] }];
    await validate({ matchConstraints: { resourceRules }, validations: [{ expression: "object.replicas > 1" }] });
    const { body } = await api.get(`${group}/validatingadmissionpolicies/p`);
    const warning =
      "apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n";
    expect(body.status).toEqual({
      observedGeneration: 1,
      typeChecking: { expressionWarnings: [{ fieldRef: "spec.validations[0].expression", warning }] },
    });
  });
});

const applied = (expression: string) => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } });
const patchedBy = (expression: string) => ({ patchType: "JSONPatch", jsonPatch: { expression } });

async function mutate(name: string, mutation: object, spec: object = {}): Promise<void> {
  const policy = { matchConstraints, reinvocationPolicy: "Never", mutations: [mutation], ...spec };
  await create("mutatingadmissionpolicies", name, policy);
  await create("mutatingadmissionpolicybindings", name, { policyName: name });
}

describe("a mutating policy", () => {
  it("merges an apply configuration", async () => {
    const side = "Object.spec.template.spec.containers{name: 'side', image: 'car'}";
    const pod = `Object.spec.template{spec: Object.spec.template.spec{containers: [${side}]}}`;
    await mutate("m", applied(`Object{spec: Object.spec{replicas: 3, template: ${pod}}}`));
    const { spec } = (await api.post(deployments, deployment)).body;
    expect(spec.replicas).toBe(3);
    expect(spec.template.spec.containers).toMatchObject([
      { name: "c" },
      { name: "side", terminationMessagePolicy: "File" },
    ]);
  });

  it("applies a JSON patch", async () => {
    await mutate("m", patchedBy("[JSONPatch{op: 'add', path: '/data/x', value: object.data.a + '!'}]"));
    expect((await api.post(configMaps, configMap)).body.data).toEqual({ a: "b", x: "b!" });
  });

  it("does nothing if a test in its patch fails", async () => {
    const steps = "[JSONPatch{op: 'test', path: '/data/a', value: 'z'}, JSONPatch{op: 'remove', path: '/data/a'}]";
    await mutate("m", patchedBy(steps));
    expect((await api.post(configMaps, configMap)).body.data).toEqual({ a: "b" });
  });

  it.each([
    [
      applied("Object{foo: 'x'}"),
      "error applying patch: failed to convert patch object to typed object: .foo: field not declared in schema",
    ],
    [
      applied("Object{data: Object.foo{a: 'x'}}"),
      'type mismatch: unexpected type name "Object.foo", expected "Object.data", which matches field name path from root Object type',
    ],
    [
      patchedBy("[JSONPatch{op: 'remove', path: '/data/z'}]"),
      "JSON Patch: error in remove for path: '/data/z': Unable to remove nonexistent key: z: missing value",
    ],
    [
      applied("Object{data: {'x': object.nope}}"),
      "expression 'Object{data: {'x': object.nope}}' resulted in error: no such key: nope",
    ],
  ])("that fails denies: %j", async (mutation, why) => {
    await mutate("m", mutation);
    const message = `policy 'm' with binding 'm' denied request: ${why}`;
    expect((await api.post(configMaps, configMap)).body).toMatchObject({ code: 403, reason: "Invalid", message });
  });

  it("does not replace atomic values", async () => {
    await mutate("m", applied("Object{spec: Object.spec{selector: Object.spec.selector{matchLabels: {'x': 'y'}}}}"));
    expect((await api.post(deployments, deployment)).body.message).toContain(
      "may not mutate atomic arrays, maps or structs: .spec.selector",
    );
  });

  it("runs again if a later one changed the object, if it allows that", async () => {
    const seen = "Object{data: {'seen': string(has(object.data.later))}}";
    await mutate("a", applied(seen), { reinvocationPolicy: "IfNeeded" });
    await mutate("b", applied("Object{data: {'later': 'yes'}}"));
    expect((await api.post(configMaps, configMap)).body.data).toEqual({ a: "b", later: "yes", seen: "true" });
  });
});
