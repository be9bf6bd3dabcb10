import { request } from "node:https";
import type { ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import { silentLogger } from "@kubewright/log";
import { WebhookServer } from "@kubewright/webhook";
import { localCertificates } from "@kubewright/webhook/local";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { apiKinds } from "../kinds/api-kinds.ts";
import { operatorWebhooks } from "./webhooks.ts";

const certificates = localCertificates({ hosts: ["127.0.0.1"] });
const server = new WebhookServer({ port: 0, host: "127.0.0.1", certificates, logger: silentLogger });
const stop = new AbortController();
let running: Promise<void>;
beforeAll(async () => {
  server.add(...operatorWebhooks(() => Promise.resolve("operator")));
  running = server.run(stop.signal);
  await vi.waitFor(() => expect(server.port).toBeGreaterThan(0));
});
afterAll(async () => {
  stop.abort();
  await running;
});

interface ReviewResponse {
  readonly response: { readonly allowed: boolean; readonly status: Readonly<Record<string, unknown>> };
}

/** Returns a webhook's response to a request that no API server would send with its configuration. */
function post(path: string, fields: object): Promise<ReviewResponse["response"]> {
  const kind = { group: "batch.sdewan.akraino.org", version: "v1alpha1", kind: "FirewallRule" };
  const requests = { uid: "1", kind, operation: "UPDATE", userInfo: { username: "jane" }, ...fields };
  const review = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: requests };
  return new Promise((resolve, reject) => {
    const options = {
      port: server.port,
      path,
      method: "POST",
      ca: certificates.caBundle,
      headers: { "content-type": "application/json" },
    };
    const call = request({ host: "127.0.0.1", ...options }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString("utf8");
      });
      response.on("end", () => resolve((JSON.parse(text) as ReviewResponse).response));
    });
    call.on("error", reject);
    call.end(JSON.stringify(review));
  });
}

const other = (fields: object) => ({ kind: { group: "apps", version: "v1", kind: "Deployment", ...fields } });
const ours = (kind: string) => other({ group: "batch.sdewan.akraino.org", version: "v1alpha1", kind });
const refused = (code: number, message: string) => ({ allowed: false, status: { metadata: {}, code, message } });

it.each([
  [other({}), 400, "The group is not batch.sdewan.akraino.org"],
  [ours("Sidecar"), 400, "Kind is not supported: batch.sdewan.akraino.org/v1alpha1, Kind=Sidecar"],
  [{ operation: "CREATE" }, 400, "there is no content to decode"],
  [{ operation: "DELETE" }, 400, "there is no content to decode"],
  [{ operation: "UPDATE", object: { metadata: {} } }, 400, "there is no content to decode"],
] as const)("bucket permission does not allow %j", async (fields, code, message) => {
  expect(await post("/validate-sdewan-bucket-permission", fields)).toMatchObject(refused(code, message));
});

it("bucket permission denies unknown operations", async () => {
  const response = await post("/validate-sdewan-bucket-permission", { operation: "CONNECT" });
  expect(response).toMatchObject(refused(403, "We don't support operation type: CONNECT"));
});

it("bucket permission gives the reason why an administrator is allowed, by the group system:masters alone", async () => {
  const object = { metadata: { name: "a", labels: { "sdewan-bucket-type": "x" } } };
  const userInfo = { username: "root", groups: ["system:masters"] };
  const response = await post("/validate-sdewan-bucket-permission", { operation: "CREATE", object, userInfo });
  expect(response).toMatchObject({ allowed: true, status: { code: 200, reason: "Allowed as cluster admin" } });
});

it("bucket permission refuses to set a malformed order, but not other changes of resources that have one", async () => {
  const userInfo = { username: "root", groups: ["system:masters"] };
  const place = (order?: string, finalizers: readonly string[] = []) => ({
    metadata: { name: "a", finalizers, ...(order ? { annotations: { "sdewan.akraino.org/order": order } } : {}) },
  });
  const review = (operation: string, object?: object, oldObject?: object) =>
    post("/validate-sdewan-bucket-permission", { operation, userInfo, object, oldObject });
  const message = `annotation sdewan.akraino.org/order: "1st" is not an integer from -1000000 to 1000000; change it, or remove the annotation for 0`;
  expect(await review("CREATE", place("1st"))).toMatchObject(refused(422, message));
  expect(await review("UPDATE", place("1st"), place("1"))).toMatchObject(refused(422, message));
  expect(await review("UPDATE", place("1st"), place("2nd"))).toMatchObject(refused(422, message));
  for (const allowed of [
    await review("CREATE", place("-1")),
    await review("UPDATE", place("1st", ["kept"]), place("1st")),
    await review("UPDATE", place(), place("1st")),
    await review("DELETE", undefined, place("1st")),
  ])
    expect(allowed).toMatchObject({ allowed: true });
});

it.each([
  [other({ kind: "Pod", group: "" }), 400, "Kind is not supported: v1, Kind=Pod"],
  [ours("Sidecar"), 400, "Kind is not supported: batch.sdewan.akraino.org/v1alpha1, Kind=Sidecar"],
  [{ object: { metadata: {} } }, 400, "object Decode error"],
  [{ object: { metadata: {} }, oldObject: { metadata: 1 } }, 400, "object Decode error"],
] as const)("label immutability does not allow %j", async (fields, code, message) => {
  for (const path of ["/validate-label", "/validate-deployment-label"])
    expect(await post(path, fields)).toMatchObject(refused(code, message));
});

it.each(["CREATE", "DELETE"])("label immutability ignores %s", async (operation) => {
  expect(await post("/validate-label", { operation })).toMatchObject({ allowed: true });
});

it.each(["/validate-sdewan-bucket-permission", "/validate-label"])(
  "%s compares the old and the new object",
  async (path) => {
    const [object, oldObject] = [{ metadata: { name: "a", annotations: { b: "c" } } }, { metadata: { name: "a" } }];
    const userInfo = { username: "root", groups: ["system:masters"] };
    const requests = { DELETE: { oldObject }, CREATE: { object }, UPDATE: { object, oldObject } };
    for (const [operation, objects] of Object.entries(requests))
      expect([operation, await post(path, { operation, userInfo, ...objects })]).toMatchObject([
        operation,
        { allowed: true },
      ]);
  },
);

it("are called for their purpose: every write of a resource, and changes of labels", () => {
  const configured = server
    .configurations({ url: "https://127.0.0.1" })
    .flatMap((one) => (one as ValidatingWebhookConfiguration).webhooks ?? []);
  const plurals = apiKinds.map(({ plural }) => plural);
  const requests = configured.map(({ name, rules = [], failurePolicy = "Fail" }) => ({
    name,
    operations: [...new Set(rules.flatMap(({ operations = [] }) => operations))].toSorted(),
    resources: rules.flatMap(({ apiGroups = [], resources = [] }) => resources.map((one) => `${apiGroups} ${one}`)),
    failurePolicy,
  }));
  const ours = plurals.map((plural) => `batch.sdewan.akraino.org ${plural}`);
  expect(requests).toEqual([
    {
      name: "validate-sdewan-bucket.akraino.org",
      operations: ["CREATE", "DELETE", "UPDATE"],
      resources: ours,
      failurePolicy: "Fail",
    },
    { name: "validate-label.akraino.org", operations: ["UPDATE"], resources: ours, failurePolicy: "Fail" },
    {
      name: "validate-deployment-label.akraino.org",
      operations: ["UPDATE"],
      resources: ["apps deployments"],
      failurePolicy: "Fail",
    },
  ]);
});
