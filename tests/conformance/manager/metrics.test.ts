import { Client } from "@kubewright/client";
import { ClusterRole, ClusterRoleBinding, ServiceAccount } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Pod } from "../controller/cached-pods.ts";
import { memoryLock, runningManager } from "./running-manager.ts";

const local = { metrics: { bindAddress: "127.0.0.1:0" } };

describe("metrics", () => {
  it("MG-047 serves the shared registry as text at its path, and nothing elsewhere", async () => {
    const { manager, end } = runningManager(local);
    manager.metrics.counter({ name: "test_one", help: "Of one's own" })().inc();
    await manager.elected;
    const answer = await fetch(`http://127.0.0.1:${manager.metricsPort}/metrics`);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/plain")]);
    expect(await answer.text()).toContain("# HELP test_one Of one's own\n# TYPE test_one counter\ntest_one 1\n");
    expect((await fetch(`http://127.0.0.1:${manager.metricsPort}/should-not-exist`)).status).toBe(404);
    await end();
  });

  it("MG-048 serves additional paths, with the first handler of each", async () => {
    const { manager, end } = runningManager(local);
    manager.addMetricsHandler("/debug", (_request, response) => void response.end("Some debug info"));
    const again = () => manager.addMetricsHandler("/debug", (_request, response) => void response.end("Another"));
    expect(again).toThrow("duplicate path");
    expect(() => manager.addMetricsHandler("/metrics", () => {})).toThrow("overriding builtin /metrics");
    await manager.elected;
    const ask = async (path: string) => (await fetch(`http://127.0.0.1:${manager.metricsPort}${path}`)).text();
    expect(await ask("/debug")).toBe("Some debug info");
    manager.addMetricsHandler("/late", (_request, response) => void response.end("late"));
    expect(await ask("/late")).toBe("late");
    await end();
  });

  it("MG-049 stops serving with the manager", async () => {
    const { manager, end } = runningManager(local);
    await manager.elected;
    const url = `http://127.0.0.1:${manager.metricsPort}/metrics`;
    expect((await fetch(url)).status).toBe(200);
    await end();
    await expect(fetch(url)).rejects.toThrow();
  });

  it("MG-052 has upstream's names and labels", async () => {
    const { manager, end } = runningManager({ leaderElection: undefined });
    manager.controllerMetrics("site");
    const text = await manager.metrics.metrics();
    const byController = ["errors", "timeouts", "panics"].map((what) => `reconcile_${what}`);
    const expected = [
      ...byController.map((what) => `controller_runtime_${what}_total{controller="site"} 0`),
      'controller_runtime_terminal_reconcile_errors_total{controller="site"} 0',
      'controller_runtime_reconcile_total{controller="site",result="requeue_after"} 0',
      'controller_runtime_reconcile_time_seconds_count{controller="site"} 0',
      'controller_runtime_max_concurrent_reconciles{controller="site"} 0',
      'controller_runtime_active_workers{controller="site"} 0',
    ];
    for (const line of expected) expect(text).toContain(`${line}\n`);
    await end();
    const leading = runningManager({ leaderElection: { id: "lock-name", lock: memoryLock("me") } });
    await leading.clock.advance(0);
    await leading.manager.elected;
    const led = await leading.manager.metrics.metrics();
    expect(led).toContain('leader_election_master_status{name="lock-name"} 1\n');
    expect(led).toMatch(/^# TYPE leader_election_slowpath_total counter$/m);
    await leading.end();
  });

  it.each([false, true])(
    "MG-051 counts the client's requests, and measures them, name resolution, sizes and retries only if enabled: %s",
    async (requestDetails) => {
      const metrics = { bindAddress: "0", requestDetails };
      const { manager, end } = runningManager({ metrics, connection: { server: "http://localhost:1" } });
      await expect(manager.apiReader.get(Pod, "web/a")).rejects.toThrow();
      const text = await manager.metrics.metrics();
      expect(text).toMatch(/^rest_client_requests_total\{code="<error>",method="GET",host="localhost:1"\} [1-9]/m);
      const detailed = [
        "request_duration_seconds",
        "request_size_bytes",
        "response_size_bytes",
        "request_retries_total",
        "dns_resolution_duration_seconds",
      ];
      expect(detailed.map((name) => text.includes(`# TYPE rest_client_${name} `))).toEqual(
        detailed.map(() => requestDetails),
      );
      const measured = 'rest_client_request_duration_seconds_count{verb="GET",host="localhost:1"}';
      expect(text.includes(measured)).toBe(requestDetails);
      expect(/^rest_client_dns_resolution_duration_seconds_count\{host="localhost"\} [1-9]/m.test(text)).toBe(
        requestDetails,
      );
      await end();
    },
  );

  it("has metrics of the process and of the engine", async () => {
    const { manager, end } = runningManager();
    const text = await manager.metrics.metrics();
    for (const name of ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_start_time_seconds"])
      expect(text).toMatch(new RegExp(`^${name} [0-9.e+]+$`, "m"));
    expect(text).toMatch(/^nodejs_version_info\{/m);
    await end();
  });
});

describe("metrics and profiles for authorized users", () => {
  let env: Environment;
  let client: Client;
  const tokens = { allowed: "", denied: "" };

  beforeAll(async () => {
    env = await Environment.start();
    client = new Client({ connection: env.connection() });
    for (const name of ["allowed", "denied"] as const) {
      await client.create(ServiceAccount, { metadata: { name, namespace: "default" } });
      tokens[name] = await env.serviceAccountToken({ namespace: "default", name }, { expiresInSeconds: 600 });
    }
    const rules = [{ nonResourceURLs: ["/metrics", "/debug/pprof/*"], verbs: ["get"] }];
    await client.create(ClusterRole, { metadata: { name: "observer" }, rules });
    await client.create(ClusterRoleBinding, {
      metadata: { name: "observer" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "observer" },
      subjects: [{ kind: "ServiceAccount", namespace: "default", name: "allowed" }],
    });
  });
  afterAll(async () => {
    await client.close();
    await env.stop();
  });

  const statuses = (url: string): Promise<number[]> =>
    Promise.all(
      [undefined, "wrong", tokens.denied, tokens.allowed].map(
        async (token) => (await fetch(url, token ? { headers: { authorization: `Bearer ${token}` } } : {})).status,
      ),
    );

  it("MG-050 serves metrics to bearers of a token with permission to read them", async () => {
    const metrics = { bindAddress: "127.0.0.1:0", authenticate: true };
    const { manager, end } = runningManager({ connection: env.connection(), metrics });
    await manager.elected;
    expect(await statuses(`http://127.0.0.1:${manager.metricsPort}/metrics`)).toEqual([401, 401, 403, 200]);
    await end();
  });

  it("MG-053 serves profiles only if enabled, to authorized users, until the manager ends", async () => {
    const off = runningManager();
    await off.manager.elected;
    expect(off.manager.profilingPort).toBeUndefined();
    await off.end();

    const profiling = { bindAddress: "127.0.0.1:0" };
    const { manager, end, clock } = runningManager({ connection: env.connection(), profiling });
    await manager.elected;
    const url = `http://127.0.0.1:${manager.profilingPort}/debug/pprof/`;
    expect(await statuses(url)).toEqual([401, 401, 403, 200]);
    const headers = { authorization: `Bearer ${tokens.allowed}` };
    const ask = (path: string) => fetch(`${url}${path}`, { headers });
    const heap = (await ask("heap")).body?.getReader();
    expect(Buffer.from((await heap?.read())?.value ?? []).toString()).toMatch(/^\{"snapshot":/);
    await heap?.cancel();
    const before = clock.waiting;
    const profile = ask("profile?seconds=20");
    while (clock.waiting === before) await new Promise((resolve) => setImmediate(resolve));
    expect((await ask("profile")).status).toBe(409);
    await clock.advance(20_000);
    expect(await (await profile).json()).toMatchObject({ nodes: expect.any(Array), samples: expect.any(Array) });
    expect([(await ask("profile?seconds=301")).status, (await ask("other")).status]).toEqual([400, 404]);
    await end();
    await expect(ask("")).rejects.toThrow();
  });
});
