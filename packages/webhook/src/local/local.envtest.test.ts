import { createServer } from "node:https";
import { Client } from "@kubewright/client";
import { ConfigMap, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "@kubewright/client/kinds";
import { FakeClock } from "@kubewright/clock/testing";
import { Environment } from "@kubewright/envtest";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findLocalHost } from "./find-local-host.ts";
import { localCertificates } from "./local-certificates.ts";
import { type LocalConfiguration, LocalSession, sessionLabel } from "./local-session.ts";
import { probeLocal } from "./probe-local.ts";

let env: Environment;
let client: Client;
const source = localCertificates({ hosts: ["127.0.0.1"] });
const called: string[] = [];
/** Rejects ConfigMaps named `bad`. */
const server = createServer({ ...source.current }, (request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    const { uid, name } = JSON.parse(Buffer.concat(parts).toString()).request;
    called.push(new URL(request.url ?? "", url).pathname);
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        apiVersion: "admission.k8s.io/v1",
        kind: "AdmissionReview",
        response: { uid, allowed: name !== "bad" },
      }),
    );
  });
});
let url = "";
beforeAll(async () => {
  env = await Environment.start();
  client = new Client({ connection: env.connection() });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = `https://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}, 60_000);
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await client.close();
  await env.stop();
});

const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] }];
const configurations: readonly LocalConfiguration[] = [
  {
    kind: "ValidatingWebhookConfiguration",
    name: "shop",
    webhooks: [{ name: "a.shop.example.com", path: "/validate", rules }],
  },
  {
    kind: "MutatingWebhookConfiguration",
    name: "shop",
    webhooks: [{ name: "b.shop.example.com", path: "/mutate", rules }],
  },
];
const names = async (): Promise<string[]> => [
  ...(await client.list(ValidatingWebhookConfiguration)).map(({ metadata }) => metadata.name),
  ...(await client.list(MutatingWebhookConfiguration)).map(({ metadata }) => metadata.name),
];
const create = (name: string) =>
  client.create(ConfigMap, { metadata: { name, namespace: "default" } }, { dryRun: true }).then(
    () => "created",
    (error: Error) => error.message,
  );
const session = (owner: string, clock = new FakeClock(Date.now())) => ({
  clock,
  session: new LocalSession({ client, owner, url, caBundle: source.caBundle ?? "", clock }),
});

it("has the cluster call this machine while it runs, and leaves nothing behind", async () => {
  const { session: made } = session("shop-jane");
  const stop = new AbortController();
  const running = made.run(configurations, stop.signal);
  await expect.poll(names).toEqual(["kubewright-local-shop-jane-shop", "kubewright-local-shop-jane-shop"]);
  await expect.poll(() => create("bad")).toContain("denied the request");
  expect(await create("good")).toBe("created");
  expect(new Set(called)).toEqual(new Set(["/mutate", "/validate"]));
  const [configuration] = await client.list(ValidatingWebhookConfiguration);
  expect(configuration?.metadata.labels).toEqual({ [sessionLabel]: "shop-jane" });
  expect(configuration?.webhooks?.[0]?.failurePolicy).toBe("Ignore");
  stop.abort();
  await running;
  expect(await names()).toEqual([]);
  await expect.poll(() => create("bad")).toBe("created");
});

it("removes leftovers of its owner's sessions and of sessions that no longer report, and no others", async () => {
  const left = async (owner: string, clock: FakeClock): Promise<void> => {
    const stop = new AbortController();
    const list = async () => Object.assign([], { metadata: {} });
    const broken = {
      list,
      apply: client.apply.bind(client),
      delete: () => Promise.reject(new Error("killed")),
    };
    const running = new LocalSession({ client: broken, owner, url, caBundle: source.caBundle ?? "", clock }).run(
      configurations.slice(0, 1),
      stop.signal,
    );
    await expect.poll(names).toContain(`kubewright-local-${owner}-shop`);
    stop.abort();
    await expect(running).rejects.toThrow("killed");
  };
  const now = Date.now();
  await left("joe", new FakeClock(now));
  await left("old", new FakeClock(now - 180_000));
  await left("jane", new FakeClock(now));
  const { session: made } = session("jane", new FakeClock(now + 60_000));
  expect((await made.removeStale()).sort()).toEqual(["kubewright-local-jane-shop", "kubewright-local-old-shop"]);
  expect(await names()).toEqual(["kubewright-local-joe-shop"]);
  await client.delete(ValidatingWebhookConfiguration, "kubewright-local-joe-shop");
});

it("verifies that the API server reaches this machine, or returns the reason", async () => {
  const probe = (options: object) => {
    const known = called.length;
    return probeLocal({
      client,
      owner: "jane",
      url: `${url}/probe`,
      caBundle: source.caBundle ?? "",
      wasCalled: () => called.length > known,
      ...options,
    });
  };
  expect(await probe({})).toBeUndefined();
  expect(await probe({ url: "https://127.0.0.1:1/probe" })).toContain("connection refused");
  expect(await probe({ caBundle: localCertificates({ hosts: ["a"] }).caBundle })).toMatch(/certificate|x509/);
  expect(await names()).toEqual([]);
  expect(await client.list(ConfigMap, { labels: "kubewright.dev/local-probe" })).toEqual([]);
}, 60_000);

it.each([
  [{ context: "kind-dev", platform: "linux" }, "172.18.0.1"],
  [{ context: "kind-dev", platform: "darwin" }, "host.docker.internal"],
  [{ context: "k3d-dev", platform: "linux" }, "host.k3d.internal"],
  [{ context: "minikube", platform: "linux" }, "host.minikube.internal"],
  [{ context: "docker-desktop", platform: "win32" }, "host.docker.internal"],
  [{ context: "controlplane", platform: "linux" }, "127.0.0.1"],
  [{ context: "staging", platform: "linux", host: "10.0.0.9" }, "10.0.0.9"],
])("finds this machine for %j", (options, host) => {
  const ipv4 = (address: string) => [{ address, family: "IPv4", internal: false }];
  const interfaces = {
    lo: [{ address: "127.0.0.1", family: "IPv4", internal: true }],
    docker0: ipv4("172.17.0.1"),
    "br-1a2b": ipv4("172.18.0.1"),
  };
  expect(findLocalHost({ server: "https://127.0.0.1:6443", interfaces, ...options }).host).toBe(host);
});

it("reports a remedy if it cannot find this machine, and errors in a session's options", () => {
  expect(() => findLocalHost({ context: "staging", server: "https://api.example.com" })).toThrow("pass --host");
  expect(() =>
    findLocalHost({ context: "kind-dev", server: "https://127.0.0.1:1", interfaces: {}, platform: "linux" }),
  ).toThrow("--host");
  expect(() => session("Jane Doe")).toThrow("use at most 63 lower-case letters");
  expect(() => new LocalSession({ client, owner: "a", url: "http://a", caBundle: "" })).toThrow("call only https URLs");
});
