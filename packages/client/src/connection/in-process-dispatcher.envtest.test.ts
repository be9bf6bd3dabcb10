import process from "node:process";
import { setImmediate as nextTurn } from "node:timers/promises";
import { isForbidden, isTooManyRequests } from "@kubewright/apimachinery";
import { FakeClock } from "@kubewright/clock/testing";
import { Environment } from "@kubewright/envtest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Client } from "../calls/client.ts";
import { ConfigMap } from "../kinds/index.ts";
import { Connection } from "./connection.ts";
import { isConnectionError } from "./connection-error.ts";

const path = "/api/v1/namespaces/default/configmaps";
const sockets = (): number => process.getActiveResourcesInfo().filter((name) => /TCP|TLS|Pipe/.test(name)).length;

/** Waits until a request that was just sent has reached the server: all promises settle before the next turn. */
const arrived = (): Promise<void> => nextTurn();

describe("Connection to a server in the same process", () => {
  let env: Environment;
  let client: Client;
  let socketsBefore = 0;
  beforeAll(async () => {
    socketsBefore = sockets();
    env = await Environment.start({ inProcess: true, users: [{ name: "jane", groups: ["dev"] }] });
    client = new Client({ connection: env.connection() });
  });
  afterAll(async () => {
    await client?.close();
    await env?.stop();
  });

  it("reads, writes and watches without a socket", async () => {
    const { metadata } = await client.list(ConfigMap, { namespace: "default" });
    const changes: string[] = [];
    const watching = (async () => {
      const { resourceVersion } = metadata;
      for await (const { type, object } of client.watch(ConfigMap, { namespace: "default", resourceVersion })) {
        changes.push(`${type} ${"name" in object.metadata ? object.metadata.name : ""}`);
        if (type === "DELETED") break;
      }
    })();
    const made = await client.create(ConfigMap, {
      metadata: { name: "a", namespace: "default" },
      data: { text: "ü🚀" },
    });
    expect(made.data?.text).toBe("ü🚀");
    await client.patch(ConfigMap, made, { data: { text: "other" } });
    await client.delete(ConfigMap, made);
    await watching;
    expect(changes).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
    expect(sockets()).toBe(socketsBefore);
  });

  it("authorizes the user of the settings, and impersonated users", async () => {
    await using jane = new Client({ connection: env.connection("jane") });
    await expect(jane.list(ConfigMap, { namespace: "default" })).rejects.toSatisfy(isForbidden);
    const impersonate = { user: "x", groups: ["a", "system:masters"] };
    await using masked = new Connection({ ...env.connection(), impersonate });
    expect((await masked.request({ path: "/api/v1/nodes" })).status).toBe(200);
    await using powerless = new Connection({ ...env.connection(), impersonate: { user: "x", groups: ["a"] } });
    expect((await powerless.request({ path: "/api/v1/nodes" })).status).toBe(403);
  });

  it("authenticates a token in place of the settings' user", async () => {
    await using connection = new Connection({ ...env.connection(), token: "unknown" });
    expect((await connection.request({ path })).status).toBe(401);
  });

  it("reports a dropped request as a connection error, and retries reads", async () => {
    const clock = new FakeClock();
    await using connection = new Connection(env.connection(), { clock });
    env.faults.hang({ verb: "list" });
    const reading = connection.request({ path, what: "list ConfigMaps" });
    await arrived();
    await env.faults.clear();
    await clock.advance(1_000);
    expect((await reading).status).toBe(200);

    env.faults.hang({ verb: "create" });
    const writing = connection.request({ method: "POST", path, body: "{}", what: "create ConfigMap" });
    const message = `create ConfigMap: POST https://in-process.invalid${path}: the server dropped the connection`;
    const failed = expect(writing).rejects.toSatisfy((error) => isConnectionError(error) && error.message === message);
    await arrived();
    await env.faults.clear();
    await failed;
  });

  it("calls beforeSending right before the request, which its error prevents", async () => {
    await using connection = new Connection(env.connection());
    const beforeSending = (): void => {
      throw new Error("no longer the leader");
    };
    const body = JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "fenced" } });
    const headers = { "content-type": "application/json" };
    const write = { method: "POST", path, body, headers } as const;
    await expect(connection.request({ ...write, beforeSending })).rejects.toThrow("no longer the leader");
    expect((await connection.request({ path: `${path}/fenced` })).status).toBe(404);
    let count = 0;
    expect((await connection.request({ ...write, beforeSending: () => count++ })).status).toBe(201);
    expect(count).toBe(1);
  });

  it("returns injected errors", async () => {
    env.faults.failNext({ status: 429, kind: ConfigMap });
    await expect(client.list(ConfigMap, { namespace: "default" })).rejects.toSatisfy(isTooManyRequests);
  });

  it("rejects with the reason of an aborted signal, and refuses requests after close", async () => {
    const connection = new Connection(env.connection());
    env.faults.hang({ verb: "list" });
    const controller = new AbortController();
    const reading = connection.request({ path, signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
    const other = connection.request({ path });
    await connection.close();
    await expect(other).rejects.toThrow("the connection is closed");
    await expect(connection.request({ path })).rejects.toThrow("the connection is closed");
    await env.faults.clear();
  });

  it("fails while connections are refused, and survives a restart", async () => {
    await using connection = new Connection(env.connection());
    await env.faults.refuseConnections();
    await expect(connection.request({ method: "DELETE", path })).rejects.toThrow(
      /in-process.invalid\/.*: the server dropped the connection$/,
    );
    await env.faults.clear();
    await env.restart();
    expect((await connection.request({ path })).status).toBe(200);
  });

  it("gives up on a server that does not respond in time", async () => {
    const clock = new FakeClock();
    const handle = ({ signal }: { readonly signal?: AbortSignal | undefined }): Promise<never> =>
      new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    await using connection = new Connection({ server: "https://a.invalid", handle }, { clock });
    const reading = connection.request({ path, what: "list" });
    const late = expect(reading).rejects.toThrow(`list: GET https://a.invalid${path}: Headers Timeout Error`);
    await clock.advance(300_000);
    await late;
  });

  it("waits only for promises if the server has its own clock", async () => {
    await using own = await Environment.start({ inProcess: true, clock: new FakeClock() });
    await using user = new Client({ connection: own.connection() });
    let hasTurned = false;
    const sentinel = setImmediate(() => {
      hasTurned = true;
    });
    const watching = (async () => {
      for await (const { type } of user.watch(ConfigMap, { namespace: "default" })) if (type === "DELETED") return;
    })();
    const made = await user.create(ConfigMap, { metadata: { name: "a", namespace: "default" } });
    await user.list(ConfigMap);
    await user.delete(ConfigMap, made);
    await watching;
    expect(hasTurned).toBe(false);
    clearImmediate(sentinel);
    await nextTurn();
    expect(own.faults.cutWatches()).toBe(0); // the server's watch has ended with its reader
  });
});
