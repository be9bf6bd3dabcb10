import { TestWebhookServer } from "@kubewright/apiserver/testing";
import { ApiServer } from "@kubewright/kube-apiserver";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Call, caller } from "./caller.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const members = (count: number, value = '"x"'): string =>
  `{${Array.from({ length: count }, (_, i) => `"k${i}":${value}`).join(",")}}`;
const list = (item: string, count: number): string => `[${Array.from({ length: count }, () => item).join(",")}]`;
const base64 = (text: string): string => Buffer.from(text).toString("base64");
/** Returns an answer of v1beta1, which need not repeat the review's UID. */
const review = (response: string): string =>
  `{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","response":{"allowed":true,${response}}}`;
const patch = (operations: string): string => review(`"patchType":"JSONPatch","patch":"${base64(operations)}"`);

let server: ApiServer;
let call: Call;
let hook: TestWebhookServer;
let answer = "";
beforeAll(async () => {
  hook = await TestWebhookServer.start({ "/m": () => ({ body: answer }) });
  server = await ApiServer.start({ tls: false });
  call = caller(server);
  await call("POST", "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", {
    metadata: { name: "m" },
    webhooks: [
      {
        name: "m.x.io",
        clientConfig: hook.clientConfig("/m"),
        admissionReviewVersions: ["v1beta1"],
        sideEffects: "None",
        rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }],
      },
    ],
  });
});
beforeEach(async () => {
  answer = patch('[{"op":"add","path":"/data","value":{"a":"b"}}]');
  await expect
    .poll(async () => (await call("POST", `${configMaps}?dryRun=All`, { metadata: { name: "y" } })).text)
    .toContain('"a":"b"');
});
afterAll(async () => {
  await server.stop();
  await hook[Symbol.asyncDispose]();
});

it.each<readonly [string, text: () => string, refusal: string]>([
  [
    "that adds a million members",
    () => patch(`[{"op":"add","path":"/data","value":${members(800_000)}}]`),
    "undecodable patch in webhook response: it has more than 100000 values",
  ],
  [
    "of half a million operations",
    () => patch(list("{}", 500_000)),
    "undecodable patch in webhook response: it has more than 100000 values",
  ],
  [
    "with a million annotations",
    () => review(`"auditAnnotations":${members(1_000_000)}`),
    "the response contains more than 100000 values",
  ],
  [
    "in a megabyte of YAML",
    () => `a:\n${"  - 1\n".repeat(180_000)}`,
    "it is not JSON and longer than 262144 characters",
  ],
])("refuses an answer of a webhook %s before it costs time", async (_what, text, refusal) => {
  answer = text();
  const start = process.cpuUsage();
  const { status, text: said } = await call("POST", configMaps, { metadata: { name: "x" } });
  const { user, system } = process.cpuUsage(start);
  expect([status, said]).toEqual([500, expect.stringContaining(refusal)]);
  expect((user + system) / 1_000).toBeLessThan(3_000);
});

it("refuses a patch that makes an object larger than one may be", async () => {
  answer = patch(`[{"op":"add","path":"/binaryData","value":${members(60_000, '""')}}]`);
  const { status } = await call("POST", configMaps, `{"metadata":{"name":"x"},"data":${members(60_000)}}`);
  expect(status).toBe(413);
});
