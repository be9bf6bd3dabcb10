import { FakeClock } from "@kubewright/clock/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiServer } from "./api-server.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const admin = { name: "admin", groups: ["system:masters"] };

interface Options {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

describe("a server that does not listen", () => {
  let server: ApiServer;
  beforeAll(async () => {
    server = await ApiServer.start({ listen: false, clock: new FakeClock(), authorization: ["RBAC"] });
  });
  afterAll(() => server.stop());

  const open = (path: string, { method = "GET", headers = {}, body, signal }: Options = {}, user = admin) =>
    server.handle(
      {
        method,
        path,
        headers: body === undefined ? headers : { "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: Buffer.from(body) }),
        ...(signal ? { signal } : {}),
      },
      user,
    );
  const ask = async (path: string, options?: Options) => {
    const { status, headers, body } = await open(path, options);
    return { status, headers, text: await textOf(body) };
  };
  const create = (name: string, data = "") =>
    ask(configMaps, {
      method: "POST",
      body: JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { data } }),
    });

  it("has no port, no certificates and no kubeconfig", async () => {
    expect(server.port).toBe(0);
    expect(server.caData).toBe("");
    expect(Object.keys(server.connection())).toEqual(["server", "handle"]);
    expect(() => server.kubeconfig()).toThrow("a server that does not listen has no kubeconfig");
    const { text } = await ask("/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication");
    expect(text).not.toContain("CERTIFICATE");
  });

  it("authenticates a request without a user by its headers", async () => {
    const statusOf = async (headers: Options["headers"] = {}) =>
      (await server.handle({ method: "GET", path: configMaps, headers })).status;
    const { token } = server.addUser({ name: "root", groups: ["system:masters"] });
    expect(await statusOf()).toBe(403);
    expect(await statusOf({ authorization: "Bearer unknown" })).toBe(401);
    expect(await statusOf({ Authorization: `Bearer ${token}` })).toBe(200);
  });

  it("adds the sender to the group of authenticated users", async () => {
    const body = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const response = await open(path, { method: "POST", body }, { name: "jane", groups: ["dev"] });
    expect(JSON.parse(await textOf(response.body)).status.userInfo).toEqual({
      username: "jane",
      groups: ["dev", "system:authenticated"],
    });
  });

  it("limits the size of bodies, headers and paths, and rejects invalid paths", async () => {
    expect((await create("large", "x".repeat(3 * 1024 * 1024))).status).toBe(413);
    expect((await ask(configMaps, { headers: { "x-long": "x".repeat(1024 * 1024) } })).status).toBe(431);
    expect((await ask(`${configMaps}?a=${"x".repeat(1024 * 1024)}`)).status).toBe(431);
    expect((await ask("/api/v1/name spaces")).status).toBe(400);
    expect((await ask("api")).status).toBe(400);
  });

  it("never compresses responses", async () => {
    await create("compressible", "x".repeat(200_000));
    const { headers, text } = await ask(`${configMaps}/compressible`, { headers: { "accept-encoding": "gzip" } });
    expect(headers["content-encoding"]).toBeUndefined();
    expect(text).toContain("x".repeat(200_000));
    await ask(`${configMaps}/compressible`, { method: "DELETE" });
  });

  it("ends a watch when its reader leaves or its signal aborts", async () => {
    const left = await open(`${configMaps}?watch=true&resourceVersion=0`);
    const reader = left.body[Symbol.asyncIterator]();
    const next = reader.next();
    const controller = new AbortController();
    const aborted = await open(`${configMaps}?watch=true`, { signal: controller.signal });
    const rest = expect(textOf(aborted.body)).rejects.toThrow("enough");
    expect(server.watchCount).toBe(2);
    await reader.return?.();
    controller.abort(new Error("enough"));
    await Promise.all([rest, expect(next).rejects.toThrow("discarded")]);
    await settled();
    expect(server.watchCount).toBe(0);
  });

  it("writes to a watch only as fast as it is read", async () => {
    const { body } = await open(`${configMaps}?watch=true`);
    for (let i = 0; i < 20; i++) {
      await create(`slow-${i}`, "x".repeat(100_000));
      await settled();
    }
    expect(server.faults.cutWatches()).toBe(1); // its reader still receives what was written
    let bytes = 0;
    const reading = (async () => {
      for await (const chunk of body) bytes += chunk.byteLength;
    })();
    await expect(reading).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(500_000);

    const other = await open(`${configMaps}?watch=true&resourceVersion=0`);
    let read = 0;
    for await (const chunk of other.body) {
      read += chunk.byteLength;
      if (read > 2_000_000) break;
    }
    await ask(configMaps, { method: "DELETE" });
  });

  it("drops requests in progress, and refuses requests while it does not run", async () => {
    const { body } = await open(`${configMaps}?watch=true`);
    const watching = expect(textOf(body)).rejects.toMatchObject({ code: "ECONNRESET" });
    server.dropConnections();
    await watching;
    server.faults.refuseConnections(true);
    await expect(open(configMaps)).rejects.toMatchObject({ code: "ECONNRESET" });
    server.faults.clear();
    const restarting = server.restart();
    await expect(open(configMaps)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await restarting;
    expect((await ask(configMaps)).status).toBe(200);
  });

  it("delivers what was written before a watch was cut", async () => {
    const { body } = await open(`${configMaps}?watch=true&resourceVersion=0`);
    await create("before-cut");
    await settled();
    expect(server.faults.cutWatches()).toBe(1);
    await create("after-cut");
    let text = "";
    const reading = (async () => {
      for await (const chunk of body) text += Buffer.from(chunk).toString();
    })();
    await expect(reading).rejects.toMatchObject({ code: "ECONNRESET" });
    expect(text).toContain("before-cut");
    expect(text).not.toContain("after-cut");
  });
});

/** Waits until all promises have settled. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}
