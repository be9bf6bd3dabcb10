import { createServer } from "node:http";
import { get } from "node:https";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type PeerCertificate, TLSSocket } from "node:tls";
import { TokenReview } from "@kubewright/client/kinds";
import { silentLogger } from "@kubewright/log";
import { expect, it, onTestFinished } from "vitest";
import { Manager } from "./manager.ts";
import type { ManagerOptions } from "./manager-options.ts";

/** An API server that knows the tokens `good` and `other`; the user of the first may read everything. */
async function reviewer(): Promise<string> {
  const server = createServer((request, response) => {
    void json(request).then((review) => {
      const { kind, spec } = review as { kind: string; spec: { token?: string; user?: string } };
      const status =
        kind === TokenReview.kind
          ? { authenticated: spec.token !== "bad", user: { username: spec.token } }
          : { allowed: spec.user === "good" };
      response
        .writeHead(201, { "content-type": "application/json" })
        .end(JSON.stringify({ kind, metadata: {}, status }));
    });
  });
  await new Promise<void>((listening) => void server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A running manager with servers for people. */
async function start(options: Pick<ManagerOptions, "metrics" | "profiling" | "health">) {
  const manager = new Manager({
    connection: { server: await reviewer() },
    logger: silentLogger,
    metrics: { bindAddress: "0" },
    ...options,
  });
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  await manager.elected;
  onTestFinished(() => {
    stop.abort();
    return running;
  });
  const ask = (port: number | undefined, path: string, token?: string) =>
    fetch(
      `http://127.0.0.1:${port}${path}`,
      token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
    );
  const statuses = async (port: number | undefined, path: string) => {
    const answers = [];
    for (const token of [undefined, "bad", "other", "good"]) answers.push((await ask(port, path, token)).status);
    return answers;
  };
  return { manager, ask, statuses };
}

const bindAddress = "127.0.0.1:0";

it("show metrics and extra paths only to users that may read the path, if configured", async () => {
  const extraHandlers = {
    "/extra": (_request: unknown, response: { end(text: string): void }) => response.end("extra"),
  };
  const { manager, statuses } = await start({ metrics: { bindAddress, authenticate: true, extraHandlers } });
  for (const path of ["/metrics", "/extra"])
    expect([path, await statuses(manager.metricsPort, path)]).toEqual([path, [401, 401, 403, 200]]);
  expect(await statuses(manager.metricsPort, "/nothing")).toEqual([401, 401, 403, 404]);
  expect(() => manager.addMetricsHandler("/extra", () => {})).toThrow('duplicate path "/extra"');
  expect(() => manager.addMetricsHandler("/metrics", () => {})).toThrow("overriding builtin /metrics");
});

it("encrypt metrics with a certificate of their own, if configured", async () => {
  const { manager } = await start({ metrics: { bindAddress, tls: "self-signed" } });
  const options = { port: manager.metricsPort, path: "/metrics", rejectUnauthorized: false };
  const answer = await new Promise<{ status: number | undefined; certificate: PeerCertificate }>((resolve, reject) =>
    get(options, (response) => {
      const { socket, statusCode: status } = response.resume();
      if (socket instanceof TLSSocket) resolve({ status, certificate: socket.getPeerCertificate() });
      else reject(new Error("no TLS"));
    }).on("error", reject),
  );
  expect(answer).toMatchObject({
    status: 200,
    certificate: { subject: { CN: "metrics" }, subjectaltname: "DNS:localhost" },
  });
});

it("show metrics without authentication by default", async () => {
  const { manager, statuses } = await start({ metrics: { bindAddress } });
  expect(await statuses(manager.metricsPort, "/metrics")).toEqual([200, 200, 200, 200]);
  expect([manager.profilingPort, manager.healthPort]).toEqual([undefined, undefined]);
});

it("show profiles, which contain memory contents, only to users that may read the path by default", async () => {
  const { manager, statuses, ask } = await start({ profiling: { bindAddress } });
  const port = manager.profilingPort;
  for (const path of ["/debug/pprof/", "/debug/pprof/profile?seconds=0.01"])
    expect([path, await statuses(port, path)]).toEqual([path, [401, 401, 403, 200]]);
  expect(await statuses(port, "/debug/pprof/heap?x")).toEqual([401, 401, 403, 200]);
  expect(await statuses(port, "/debug/pprof")).toEqual([401, 401, 403, 404]);
  expect(manager.metricsPort).toBeUndefined();
  expect(await (await ask(port, "/debug/pprof/", "other")).text()).toBe("Authorization denied for user other\n");
});

it("take profiles of Node's own kinds, one at a time and for five minutes at most", async () => {
  const { manager, ask } = await start({ profiling: { bindAddress, authenticate: false } });
  const get = (path: string) => ask(manager.profilingPort, `/debug/pprof/${path}`);
  const heap = await get("heap");
  expect([heap.status, heap.headers.get("content-type")]).toEqual([200, "application/json"]);
  expect(await heap.json()).toHaveProperty("snapshot");
  const first = get("profile?seconds=1");
  await expect.poll(async () => (await get("profile?seconds=0.01")).status).toBe(409);
  const taken = await first;
  expect([taken.status, taken.headers.get("content-type")]).toEqual([200, "application/json"]);
  expect(await taken.json()).toHaveProperty("nodes");
  for (const seconds of ["0", "-1", "300.1", "a", "Infinity", "NaN"]) {
    const refused = await get(`profile?seconds=${seconds}`);
    expect([seconds, refused.status]).toEqual([seconds, 400]);
    expect(await refused.text()).toBe("seconds must be above 0 and at most 300\n");
  }
  const index = await get("");
  expect([index.headers.get("content-type"), index.headers.get("x-content-type-options")]).toEqual([
    "text/plain; charset=utf-8",
    "nosniff",
  ]);
  expect(await index.text()).toContain("heap: heap snapshot");
});

it("answer probes without a token", async () => {
  const { manager, statuses } = await start({ health: { bindAddress } });
  for (const path of ["/healthz", "/readyz"])
    expect([path, await statuses(manager.healthPort, path)]).toEqual([path, [200, 200, 200, 200]]);
  expect(await statuses(manager.healthPort, "/metrics")).toEqual([404, 404, 404, 404]);
});
