import { afterEach, beforeEach, expect, it } from "vitest";
import { Random } from "../time/random.ts";
import { replaceGlobals } from "../time/replace-globals.ts";
import { VirtualTime } from "../time/virtual-time.ts";
import { type Handle, jsonResponse } from "./api-call.ts";
import { Cluster, programUrl } from "./cluster.ts";

const time = new VirtualTime();
let restore: () => void;
let cluster: Cluster;
beforeEach(async () => {
  restore = replaceGlobals();
  cluster = await Cluster.start({ time, random: new Random("cluster"), crds: [] });
});
afterEach(async () => {
  await cluster.stop();
  restore();
});

/** Returns the configuration of a webhook that is called for each new ConfigMap. */
const configurationOf = (failurePolicy: "Fail" | "Ignore") => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "program" },
  webhooks: [
    {
      name: "program.example.com",
      clientConfig: { url: `${programUrl}/validate` },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
      ...{ failurePolicy, sideEffects: "None", admissionReviewVersions: ["v1"] },
    },
  ],
});

const create = (name: string) =>
  time.until(
    cluster.request("POST", "/api/v1/namespaces/default/configmaps", {
      ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name } },
    }),
    60_000,
    "the creation",
  );

it("completes a write whose process is killed, and knows its object", async () => {
  const handle = cluster.handleAs({ name: "admin", groups: ["system:masters"] }, cluster.users);
  const stop = new AbortController();
  const body = Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "north" } }));
  const headers = { "content-type": "application/json" };
  const path = "/api/v1/namespaces/default/configmaps";
  const writing = handle({ method: "POST", path, headers, body, signal: stop.signal });
  stop.abort();
  expect((await time.until(writing, 60_000, "the write")).status).toBe(201);
  const objects = await time.until(cluster.objects(), 60_000, "the objects");
  expect(objects.map(({ metadata }) => metadata.name)).toEqual(["north"]);
});

it("refuses or allows writes by the failure policy while the program does not run", async () => {
  let answer: Handle | undefined;
  const handle: Handle = async (request) => {
    if (!answer) throw Object.assign(new Error("connect: connection refused"), { code: "ECONNREFUSED" });
    return answer(request);
  };
  const install = (policy: "Fail" | "Ignore") =>
    time.until(cluster.callProgram([configurationOf(policy)], handle), 60_000, "the installation");
  await install("Fail");
  expect(await create("a")).toMatchObject({
    status: 500,
    body: { message: expect.stringMatching(/failed calling webhook "program.example.com".*connection refused/) },
  });
  answer = async ({ body }) => {
    const { request } = JSON.parse(Buffer.from(body ?? []).toString());
    const response = { uid: request.uid, allowed: request.name !== "bad" };
    return jsonResponse(200, { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response });
  };
  expect((await create("bad")).status).toBe(400);
  expect((await create("a")).status).toBe(201);
  answer = undefined;
  await install("Ignore");
  await time.advance(1_000);
  expect((await create("bad")).status).toBe(201);
});
