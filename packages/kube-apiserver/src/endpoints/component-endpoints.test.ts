import { kubernetesVersion } from "@kubewright/apimachinery";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ApiServer } from "../server/api-server.ts";
import { ApiClient } from "../server/testing/api-client.ts";

let server: ApiServer;
let api: ApiClient;
beforeAll(async () => {
  server = await ApiServer.start({ tls: false, flags: { "secure-port": "6443" } });
  api = new ApiClient(server);
});
afterAll(async () => {
  api.close();
  await server.stop();
});

const machine = (kind: string) => ({ headers: { accept: `application/json;v=v1alpha1;g=config.k8s.io;as=${kind}` } });

it("pages of the component are text for people, and objects on request", async () => {
  expect((await api.get("/flagz")).text).toMatch(/^\napiserver flagz\nWarning: .*\nsecure-port: 6443\n$/);
  expect((await api.get("/flagz", machine("Flagz"))).body).toEqual({
    kind: "Flagz",
    apiVersion: "config.k8s.io/v1alpha1",
    metadata: { name: "apiserver" },
    flags: { "secure-port": "6443" },
  });
  expect((await api.get("/statusz")).text).toContain(`\nBinary version: ${kubernetesVersion.slice(1)}\n`);
  expect((await api.get("/statusz", machine("Statusz"))).body).toMatchObject({ kind: "Statusz", uptimeSeconds: 0 });
  const { status, body } = await api.get("/statusz", { headers: { accept: "text/html" } });
  expect([status, body.reason]).toEqual([406, "NotAcceptable"]);
});

it("the results of health checks are counted", async () => {
  const { text } = await api.get("/metrics/slis");
  expect(text).toContain('kubernetes_healthcheck{name="etcd-readiness",type="readyz"} 1\n');
  expect(text).toContain('kubernetes_healthchecks_total{name="ping",status="success",type="livez"} 1\n');
});

it("the index has another name, and lists these pages", async () => {
  expect((await api.get("/index.html")).body.paths).toEqual(
    expect.arrayContaining(["/flagz", "/livez/etcd", "/metrics/slis", "/statusz"]),
  );
});
