import { ignoreAlreadyExists } from "@kubewright/apimachinery";
import { type Call, patchReply, type Responder, reviewReply, TestWebhookServer } from "@kubewright/apiserver/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient } from "../server/testing/api-client.ts";
import { siteDefinition } from "../server/testing/site-definition.ts";

const withPatch = (patch: unknown) => (call: Call) =>
  reviewReply(call, { allowed: true, patchType: "JSONPatch", patch });
const set = (path: string, value: unknown) => (call: Call) => patchReply(call, [{ op: "replace", path, value }]);
const refused = (status: unknown) => (call: Call) => reviewReply(call, { allowed: false, status });
const called = "failed to call webhook:";

/** Responses with their messages, which are kube-apiserver's. */
const cases: Readonly<Record<string, readonly [Responder, string]>> = {
  status: [
    () => ({ body: { apiVersion: "v1", kind: "Status" } }),
    `${called} converting (v1.Status) to (v1.AdmissionReview): unknown conversion`,
  ],
  text: [() => ({ body: "hello" }), `${called} the response cannot be read: expected object, got string`],
  null: [() => ({ body: "null" }), "received invalid webhook response: webhook response was absent"],
  type: [() => ({ body: {}, contentType: ";" }), `${called} Internal error occurred: mime: no media type`],
  base64: [withPatch("%%%"), `${called} response.patch: illegal base64 data`],
  bytes: [withPatch([1]), "received undecodable patch in webhook response: not valid JSON: Unexpected token '\u0001'"],
  number: [withPatch(5), `${called} response.patch: expected string, got number`],
  code: [refused({ code: "400" }), `${called} response.status.code: expected number, got string`],
};
const patches: Readonly<Record<string, readonly [Responder, number, string]>> = {
  kind: [set("/kind", "Secret"), 500, "Internal error occurred: data.a: illegal base64 data"],
  other: [
    set("/kind", "ServiceAccount"),
    500,
    "converting (v1.ServiceAccount) to (core.ConfigMap): unknown conversion",
  ],
  unknown: [
    set("/kind", "Foo"),
    500,
    'Internal error occurred: no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
  ],
  version: [
    set("/apiVersion", "apps/v1"),
    500,
    'Internal error occurred: no kind "ConfigMap" is registered for version "apps/v1" in scheme "pkg/runtime/scheme.go:111"',
  ],
  kindnumber: [set("/kind", 5), 500, "Internal error occurred: kind: expected string, got number"],
};

let server: ApiServer;
let api: ApiClient;
let hooks: TestWebhookServer;
beforeAll(async () => {
  server = await ApiServer.start({ tls: false });
  api = new ApiClient(server);
  const answers = Object.entries({ ...cases, ...patches }).map(([name, [answer]]) => [`/${name}`, answer] as const);
  hooks = await TestWebhookServer.start({ ...Object.fromEntries(answers), "/annotated": annotated });
  const webhooks = [...answers.map(([path]) => path.slice(1)), "annotated"].flatMap((name) =>
    ["Fail", "Ignore"].map((failurePolicy) => ({
      name: `${name}.${failurePolicy.toLowerCase()}.io`,
      clientConfig: hooks.clientConfig(`/${name}`),
      failurePolicy,
      objectSelector: { matchLabels: { case: `${name}-${failurePolicy}` } },
      rules: [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    })),
  );
  const path = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
  expect((await api.post(path, { metadata: { name: "all" }, webhooks })).status).toBe(201);
});
afterAll(async () => {
  api.close();
  await hooks[Symbol.asyncDispose]();
  await server.stop();
});

const annotated = (call: Call) => reviewReply(call, { allowed: true, warnings: ["a\nb", "plain"] });
const create = (name: string, policy: string) =>
  api.post("/api/v1/namespaces/default/configmaps?dryRun=All", {
    metadata: { name: "x", labels: { case: `${name}-${policy}` } },
    data: { a: "b" },
  });

it.each(Object.entries(cases))(
  "handles an unusable answer (%s) according to the failure policy",
  async (name, [, expected]) => {
    const { status, body } = await create(name, "Fail");
    expect([status, body.message]).toEqual([
      500,
      `Internal error occurred: failed calling webhook "${name}.fail.io": ${expected}`,
    ]);
    expect((await create(name, "Ignore")).status).toBe(201);
  },
);

it.each(Object.entries(patches))("rejects a patch that changes the kind (%s)", async (name, [, code, expected]) => {
  for (const policy of ["Fail", "Ignore"]) {
    const { status, body } = await create(name, policy);
    expect([status, body.message]).toEqual([code, expected]);
  }
});

it.each([
  ["/kind", "Other", 422, 'Other.example.com "x" is invalid: kind: Invalid value: "Other": must be Site'],
  ["/apiVersion", "example.com/v9", 500, "request to convert CR from an invalid group/version: example.com/v9"],
  ["/apiVersion", "v1", 500, '/v1, Kind=Site is unstructured and is not suitable for converting to "example.com/v1"'],
])("a patch of %s to %s does not change the custom resource's identity", async (path, value, code, expected) => {
  await using another = await TestWebhookServer.start({ "/": set(path, value) });
  await server.installDefinitions([siteDefinition]).catch(ignoreAlreadyExists);
  const configurations = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
  await api.post(configurations, {
    metadata: { name: "sites" },
    webhooks: [
      {
        name: "sites.example.com",
        clientConfig: another.clientConfig("/"),
        rules: [{ operations: ["*"], apiGroups: ["example.com"], apiVersions: ["v1"], resources: ["sites"] }],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  });
  const sites = "/apis/example.com/v1/namespaces/default/sites";
  const { status, body } = await api.post(sites, {
    apiVersion: "example.com/v1",
    kind: "Site",
    metadata: { name: "x" },
  });
  expect([status, body.message]).toEqual([code, expected]);
  await api.delete(`${configurations}/sites`);
});

it("skips warnings with control characters", async () => {
  expect((await create("annotated", "Fail")).headers.warning).toBe('299 - "plain"');
});
