import type { AdmissionAttributes } from "@kubewright/apiserver/admission";
import { patchReply, reviewReply, TestWebhookServer } from "@kubewright/apiserver/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient } from "../server/testing/api-client.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const pods = "/api/v1/namespaces/default/pods";
const rules = [{ operations: ["CONNECT"], apiGroups: [""], apiVersions: ["v1"], resources: ["*/*"] }];

let server: ApiServer;
let api: ApiClient;
let hooks: TestWebhookServer;
let seen: AdmissionAttributes[];
beforeEach(async () => {
  seen = [];
  server = await ApiServer.start({
    tls: false,
    disableAdmissionPlugins: ["ServiceAccount"],
    admissionPlugins: [
      { name: "Recorder", handles: (operation) => operation === "CONNECT", validate: (one) => void seen.push(one) },
    ],
  });
  api = new ApiClient(server);
  hooks = await TestWebhookServer.start({
    "/change": (call) => patchReply(call, [{ op: "replace", path: "/command", value: ["changed"] }]),
    "/deny": (call) => reviewReply(call, { allowed: false, status: { message: "no connection", code: 418 } }),
  });
  await api.post(pods, { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "x" }] } });
});
afterEach(async () => {
  api.close();
  await hooks[Symbol.asyncDispose]();
  await server.stop();
});

const configure = (kind: "mutating" | "validating", path: string) =>
  api.post(`${group}/${kind}webhookconfigurations`, {
    metadata: { name: kind },
    webhooks: [
      {
        name: `${kind}.example.com`,
        clientConfig: hooks.clientConfig(path),
        rules,
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
      },
    ],
  });

it("reviews connections with their options from the query", async () => {
  await api.post(`${pods}/p/exec?command=ls&command=-l&container=c&stdin=true&stdout=0`, undefined);
  await api.get(`${pods}/p/portforward?ports=80,81`);
  await api.get(`${pods}/p/proxy/a/b/?path=/ignored`);
  expect(seen.map(({ operation, kind, subresource, name }) => [operation, kind.kind, subresource, name])).toEqual([
    ["CONNECT", "PodExecOptions", "exec", "p"],
    ["CONNECT", "PodPortForwardOptions", "portforward", "p"],
    ["CONNECT", "PodProxyOptions", "proxy", "p"],
  ]);
  expect(seen.map(({ object }) => object)).toEqual([
    { kind: "PodExecOptions", apiVersion: "v1", stdin: true, container: "c", command: ["ls", "-l"] },
    { kind: "PodPortForwardOptions", apiVersion: "v1", ports: [80, 81] },
    { kind: "PodProxyOptions", apiVersion: "v1", path: "/a/b/" },
  ]);
});

it("webhooks can change and reject connections", async () => {
  await configure("mutating", "/change");
  expect((await api.post(`${pods}/p/exec?command=ls`, undefined)).body.message).toBe(
    "pod p does not have a host assigned",
  );
  expect(seen[0]?.object).toEqual({ kind: "PodExecOptions", apiVersion: "v1", command: ["changed"] });
  await configure("validating", "/deny");
  const { status, body } = await api.post(`${pods}/p/exec?command=ls`, undefined);
  expect([status, body.message]).toEqual([
    418,
    'admission webhook "validating.example.com" denied the request: no connection',
  ]);
  expect(hooks.calls.at(-1)?.review.request).toMatchObject({
    operation: "CONNECT",
    subResource: "exec",
    name: "p",
    object: { kind: "PodExecOptions", apiVersion: "v1", command: ["changed"] },
    oldObject: null,
    options: null,
  });
});

it("policies receive the connected object", async () => {
  const expression = "request.resource.resource != 'nodes' || object.path != '/metrics'";
  await api.post(`${group}/validatingadmissionpolicies`, {
    metadata: { name: "p" },
    spec: { matchConstraints: { resourceRules: rules }, validations: [{ expression, message: "no metrics" }] },
  });
  await api.post(`${group}/validatingadmissionpolicybindings`, {
    metadata: { name: "p" },
    spec: { policyName: "p", validationActions: ["Deny"] },
  });
  expect((await api.get("/api/v1/nodes/n/proxy/metrics")).body.message).toBe(
    `nodes "n" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no metrics`,
  );
  expect((await api.get("/api/v1/nodes/n/proxy/other")).status).toBe(404);
});
