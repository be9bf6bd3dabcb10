import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import process from "node:process";
import { defineKind, type Kind } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiRequests } from "./bed/api-requests.ts";
import { isNotSupportedByTestBedError, NotSupportedByTestBedError } from "./bed/not-supported.ts";
import type { TestConnection } from "./bed/test-bed.ts";
import { Environment } from "./environment.ts";

const assets = process.env.KUBEBUILDER_ASSETS ?? "";
if (assets === "") console.warn("envtest: not run on the real API server, because KUBEBUILDER_ASSETS is not set");
const beds: { bed: "embedded" | "real"; folder: string }[] = [
  { bed: "embedded", folder: "" },
  ...(assets === "" ? [] : [{ bed: "real" as const, folder: assets }]),
];

const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: { type: "object", properties: { image: { type: "string" } } },
});
const ConfigMap: Kind = { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps", scope: "Namespaced" };
const configMaps = "/api/v1/namespaces/default/configmaps";

/** A watch that collects its lines; `ended` resolves with "end" or "cut". */
async function openWatch(connection: TestConnection, path: string) {
  const { caData: ca, certData: cert, keyData: key, server } = connection;
  const watch = request(new URL(`${path}?watch=true`, server), { agent: new Agent({ ca, cert, key }) }).end();
  const [response]: IncomingMessage[] = await once(watch, "response");
  if (!response) throw new Error("no response");
  let text = "";
  response.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const ended = new Promise<"end" | "cut">((resolve) => {
    response.on("end", () => resolve("end"));
    response.on("error", () => resolve("cut"));
  });
  return { ended, text: () => text };
}

describe.each(beds)("Environment on the $bed API server", ({ bed, folder }) => {
  let env: Environment;
  let api: ApiRequests;
  const create = async (name: string): Promise<number> =>
    (await api.send("POST", configMaps, { metadata: { name } })).status;

  beforeAll(async () => {
    env = await Environment.start({ assets: folder, crds: [Site], users: [{ name: "jane", groups: ["dev"] }] });
    api = new ApiRequests(env.connection());
  });
  afterAll(async () => {
    api?.close();
    await env?.stop();
    await env?.stop();
  });

  it("serves, and reports its type", async () => {
    expect(env.bed).toBe(bed);
    expect(JSON.parse((await api.send("GET", "/version")).text)).toMatchObject({ major: "1" });
    expect((await api.send("GET", "/api/v1/namespaces/default")).status).toBe(200);
  });

  it("serves the given kinds", async () => {
    expect((await api.send("GET", "/apis/shop.example.com/v1/sites")).status).toBe(200);
  });

  it("distinguishes users, and gives permissions only to admin", async () => {
    const jane = new ApiRequests(env.connection("jane"));
    const { status, text } = await jane.send("GET", configMaps);
    jane.close();

    expect(status).toBe(403);
    expect(text).toContain('User \\"jane\\" cannot list resource \\"configmaps\\"');
    expect(() => env.connection("joe")).toThrow('there is no user "joe"');

    const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default";
    await api.send("POST", `${rbac}/rolebindings`, {
      metadata: { name: "jane" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "joe" }],
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
    });
    await api.send("POST", `${rbac}/roles`, {
      metadata: { name: "reader" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["list"] }],
    });
    const joe = new ApiRequests(await env.addUser({ name: "joe" }));
    await expect.poll(async () => (await joe.send("GET", configMaps)).status).toBe(200);
    expect((await joe.send("GET", "/api/v1/namespaces/kube-system/configmaps")).status).toBe(403);
    joe.close();
  });

  it("creates service account tokens with short lifetimes", async () => {
    const account = { namespace: "default", name: "robot" };
    await api.send("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "robot" } });
    const token = await env.serviceAccountToken(account, { expiresInSeconds: 15 });
    const expired = await env.serviceAccountToken(account, { expiresInSeconds: -61 });
    const { server, caData } = env.connection();
    const asked = async (bearer: string) => {
      const robot = new ApiRequests({ server, caData, token: bearer });
      const { status, text } = await robot.send("GET", configMaps);
      robot.close();
      return { status, text };
    };

    expect(await asked(token)).toMatchObject({
      status: 403,
      text: expect.stringContaining('User \\"system:serviceaccount:default:robot\\" cannot list'),
    });
    expect((await asked(expired)).status).toBe(401);
    await expect(env.serviceAccountToken({ ...account, name: "none" }, { expiresInSeconds: 15 })).rejects.toThrow(
      "the service account default/none does not exist",
    );
    await expect(env.serviceAccountToken({ ...account, name: "" }, { expiresInSeconds: 15 })).rejects.toThrow(
      "is empty",
    );
  });

  it("removes history on request", { timeout: 60_000 }, async () => {
    for (const name of ["old-1", "old-2"]) await create(name);
    const first = JSON.parse((await api.send("GET", `${configMaps}?limit=1`)).text);
    const rest = `${configMaps}?limit=1&continue=${first.metadata.continue}`;
    await create("old-3");
    expect((await api.send("GET", rest)).status).toBe(200);

    await env.compact();
    expect((await api.send("GET", rest)).status).toBe(410);
  });

  it("returns a kubeconfig", () => {
    const config: unknown = JSON.parse(env.kubeconfig("jane"));

    expect(config).toMatchObject({
      kind: "Config",
      contexts: [{ context: { user: "jane" } }],
      clusters: [{ cluster: { server: env.url } }],
    });
  });

  it("installs, updates and uninstalls definitions", async () => {
    const Shop = defineKind({
      group: "more.example.com",
      version: "v1",
      kind: "Shop",
      scope: "Cluster",
      spec: { type: "object" },
    });
    await env.installCrds([Shop]);
    await env.installCrds([Shop, Shop.crd]);
    expect((await api.send("GET", "/apis/more.example.com/v1/shops")).status).toBe(200);

    for (const name of ["", ".."])
      await expect(env.uninstallCrds([{ ...Shop.crd, metadata: { name } }])).rejects.toThrow(
        `/apis/apiextensions.k8s.io/v1/customresourcedefinitions: name: ${JSON.stringify(name)} `,
      );
    expect((await api.send("GET", "/apis/more.example.com/v1/shops")).status).toBe(200);
    await env.uninstallCrds([Shop]);
    await expect.poll(async () => (await api.send("GET", "/apis/more.example.com/v1/shops")).status).toBe(404);
  });

  it("reports why a definition is refused", async () => {
    const broken = { ...Site.crd, metadata: { name: "wrong" } };

    await expect(env.installCrds([broken])).rejects.toThrow(/^create wrong: .*metadata.name/);
  });

  it("keeps data and address over a restart, and drops watches", async () => {
    expect(await create("kept")).toBe(201);
    const watch = await openWatch(env.connection(), configMaps);
    const { url } = env;

    await env.restart();

    await watch.ended;
    expect(env.url).toBe(url);
    expect((await api.send("GET", `${configMaps}/kept`)).status).toBe(200);
  });

  it("cuts the watches of a kind", async () => {
    const watch = await openWatch(env.connection(), configMaps);
    const other = await openWatch(env.connection(), "/api/v1/namespaces");

    expect(env.faults.cutWatches(ConfigMap)).toBe(1);
    expect(await watch.ended).toBe("cut");
    expect(env.faults.cutWatches()).toBe(1);
    expect(await other.ended).toBe("cut");
  });

  it("expires watches with an ERROR event", async () => {
    const watch = await openWatch(env.connection(), configMaps);

    expect(env.faults.expireWatches(ConfigMap)).toBe(1);
    expect(await watch.ended).toBe("end");
    const last: unknown = JSON.parse(watch.text().trim().split("\n").at(-1) ?? "");
    expect(last).toMatchObject({ type: "ERROR", object: { kind: "Status", reason: "Expired", code: 410 } });
  });

  it("fails the given number of requests with a verb and kind", async () => {
    env.faults.failNext({
      kind: ConfigMap,
      verb: "create",
      status: 500,
      reason: "InternalError",
      message: "no luck",
      count: 2,
    });

    expect((await api.send("GET", configMaps)).status).toBe(200);
    expect([await create("f1"), await create("f2"), await create("f3")]).toEqual([500, 500, 201]);
  });

  it("sends a retry delay", async () => {
    env.faults.failNext({ status: 429, retryAfterSeconds: 3, message: "slow down" });

    const { text } = await api.send("GET", configMaps);
    expect(JSON.parse(text)).toMatchObject({
      kind: "Status",
      message: "slow down",
      details: { retryAfterSeconds: 3 },
      code: 429,
    });
  });

  it("uses the usual reason of an injected status", async () => {
    env.faults.failNext({ status: 504 });

    const { text } = await api.send("GET", configMaps);
    expect(JSON.parse(text)).toMatchObject({ kind: "Status", reason: "Timeout", code: 504 });
  });

  it("delays requests", async () => {
    env.faults.delay({ kind: ConfigMap, ms: 150, count: 1 });
    const began = performance.now();
    await api.send("GET", configMaps);

    expect(performance.now() - began).toBeGreaterThan(140);
  });

  it("hangs until clear is called", async () => {
    env.faults.hang({ kind: ConfigMap, verb: "get" });
    const hanging = api.send("GET", `${configMaps}/kept`).then(
      () => "answered",
      () => "dropped",
    );
    expect((await api.send("GET", configMaps)).status).toBe(200);

    await env.faults.clear();
    expect(await hanging).toBe("dropped");
    expect((await api.send("GET", `${configMaps}/kept`)).status).toBe(200);
  });

  it("refuses connections until clear is called", async () => {
    await env.faults.refuseConnections();
    await expect(api.send("GET", configMaps)).rejects.toThrow(/ECONNREFUSED|ECONNRESET|hang up|disconnected/);

    await env.faults.clear();
    expect((await api.send("GET", configMaps)).status).toBe(200);
  });

  it("breaks all connections", async () => {
    const watch = await openWatch(env.connection(), configMaps);
    env.faults.cutConnections();

    expect(await watch.ended).toBe("cut");
    expect((await api.send("GET", configMaps)).status).toBe(200);
  });

  it("goes back in time, or reports that this is not supported", async () => {
    await using other = await Environment.start({ assets: folder });
    const there = new ApiRequests(other.connection());
    const { text } = await there.send("POST", configMaps, { metadata: { name: "kept" } });
    await there.send("POST", configMaps, { metadata: { name: "gone" } });
    there.close();
    const back = other.faults.goBackInTime(JSON.parse(text).metadata.resourceVersion);
    if (bed === "real") return expect(back).rejects.toSatisfy(isNotSupportedByTestBedError);
    await back;
    const then = new ApiRequests(other.connection());
    expect((await then.send("GET", `${configMaps}/kept`)).status).toBe(200);
    expect((await then.send("GET", `${configMaps}/gone`)).status).toBe(404);
    then.close();
  });

  it("mounts service account tokens into pods if that is enabled", async () => {
    await using other = await Environment.start({ assets: folder, serviceAccountAdmission: true });
    const admin = new ApiRequests(other.connection());
    const create = async (plural: string, body: object): Promise<{ status: number; text: string }> =>
      admin.send("POST", `/api/v1/namespaces/default/${plural}`, body);
    const pod = { metadata: { name: "a" }, spec: { containers: [{ name: "a", image: "a" }] } };
    expect(await create("pods", pod)).toMatchObject({ status: 403, text: expect.stringContaining("serviceaccount") });
    expect((await create("serviceaccounts", { metadata: { name: "default" } })).status).toBe(201);
    const created = await create("pods", pod);
    expect(created).toMatchObject({ status: 201, text: expect.stringContaining("serviceAccountToken") });
    admin.close();
  });

  it("accepts a clock, or reports that this is not supported", async () => {
    const started = Environment.start({ assets: folder, clock: new FakeClock(Date.UTC(2030, 0, 1)) });
    if (bed === "real") return expect(started).rejects.toSatisfy(isNotSupportedByTestBedError);
    await using other = await started;
    const there = new ApiRequests(other.connection());
    expect((await there.send("GET", "/api/v1/namespaces/default")).text).toContain('"creationTimestamp":"2030-01-01');
    there.close();
  });
});

it("reports a folder without the binaries", async () => {
  await expect(Environment.start({ assets: "/no/such" })).rejects.toThrow(
    "/no/such/etcd does not exist; set KUBEBUILDER_ASSETS to a folder",
  );
});

it("throws NotSupportedByTestBedError for unsupported operations", () => {
  expect(isNotSupportedByTestBedError(new NotSupportedByTestBedError("x"))).toBe(true);
  expect(isNotSupportedByTestBedError(new Error("x"))).toBe(false);
});
