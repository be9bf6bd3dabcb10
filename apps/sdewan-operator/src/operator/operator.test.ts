import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { Client } from "@kubewright/client";
import { systemClock } from "@kubewright/clock";
import { startControlPlane } from "@kubewright/controller-manager";
import { createLogger } from "@kubewright/log";
import { describe, expect, it, vi } from "vitest";
import { parseAllDocuments } from "yaml";
import { installCrds } from "../../demo/install.ts";
import { CNFNAT } from "../api/cnf-nat.ts";
import { CNFStatus } from "../api/cnf-status.ts";
import { CNFService } from "../api/composite/cnf-service.ts";
import { FirewallRule } from "../api/firewall/firewall-rules.ts";
import { shutdownMs } from "./manager-options.ts";
import { runOperator } from "./operator.ts";

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });

describe("the operator", () => {
  it("is ready without its definitions, logs this once, and starts when they appear", async () => {
    await using plane = await startControlPlane({});
    const client = new Client({ connection: plane.connection() });
    const lines: string[] = [];
    const logger = createLogger({ level: "info", destination: { write: (line) => void lines.push(line) } });
    const health = `127.0.0.1:${await freePort()}`;
    const stop = new AbortController();
    const running = runOperator(
      { connection: plane.connection(), metricsBindAddress: "0", healthProbeBindAddress: health, logger },
      stop.signal,
    );
    const get = async (path: string): Promise<[number, string]> => {
      const response = await fetch(`http://${health}${path}`);
      return [response.status, await response.text()];
    };
    const countLines = (text: string): number => lines.filter((line) => line.includes(text)).length;
    try {
      await vi.waitFor(() => expect(countLines("CRDs are missing")).toBe(1), { timeout: 20_000, interval: 50 });
      expect(await get("/readyz")).toEqual([200, "ok"]);
      const [, body] = await get("/readyz?verbose");
      expect(body).toContain(
        "[+]firewallrules.batch.sdewan.akraino.org ok: not served; components that need this kind are waiting: kubectl apply -k",
      );
      expect(body).toMatch(/^\[\+\]cache-pods ok/m);
      expect((await get("/healthz"))[0]).toBe(200);

      await installCrds(client, systemClock, new AbortController().signal);
      const metadata = { name: "a", namespace: "default", labels: { sdewanPurpose: "edge7" } };
      await client.create(FirewallRule, { metadata, spec: { target: "DROP" } });
      await vi.waitFor(async () => expect((await client.get(FirewallRule, "default/a")).status?.state).toBe("Idle"), {
        timeout: 20_000,
        interval: 50,
      });
      expect(await get("/readyz")).toEqual([200, "ok"]);
      expect(countLines("CRDs are missing")).toBe(1);
      expect(countLines('"stack"')).toBe(0);
    } finally {
      stop.abort();
      await running;
      await client.close();
    }
  });

  it("resolves names and queries CNFs only while it leads", async () => {
    await using plane = await startControlPlane({});
    await using client = new Client({ connection: plane.connection() });
    await installCrds(client, systemClock, new AbortController().signal);
    const resolved = { first: 0, second: 0 };
    const start = (who: keyof typeof resolved) => {
      const stop = new AbortController();
      const resolve = async (): Promise<string[]> => {
        resolved[who]++;
        return ["10.96.0.9"];
      };
      const election = { leaderElect: true, leaderElectionNamespace: "default", statusNamespace: "default" };
      const options = { connection: plane.connection(), metricsBindAddress: "0", checkIntervalMs: 100, ...election };
      const running = runOperator({ ...options, resolve }, stop.signal);
      return async (): Promise<void> => {
        stop.abort();
        await running;
      };
    };
    const soon = { timeout: 20_000, interval: 50 };
    const appliedTime = async () => (await client.get(CNFStatus, "default/cnf-status")).status?.appliedTime;
    const stopFirst = start("first");
    await vi.waitFor(async () => expect(await appliedTime()).toBeDefined(), soon);
    const stopSecond = start("second");
    try {
      const metadata = { name: "web", namespace: "default", labels: { sdewanPurpose: "edge7" } };
      await client.create(CNFService, { metadata, spec: { fullname: "web.example", port: "80" } });
      await vi.waitFor(async () => {
        expect((await client.get(CNFNAT, "default/webnat")).spec?.dest_ip).toBe("10.96.0.9");
        expect(resolved.first).toBeGreaterThan(3);
      }, soon);
      expect(resolved.second).toBe(0);
      await stopFirst();
      const [last, time] = [resolved.first, await appliedTime()];
      await vi.waitFor(async () => {
        expect(resolved.second).toBeGreaterThan(3);
        expect(await appliedTime()).not.toBe(time);
      }, soon);
      expect(resolved.first).toBe(last);
    } finally {
      await stopFirst();
      await stopSecond();
    }
  });

  it("has a longer grace period in its pod than it needs", () => {
    const text = readFileSync(new URL("../../config/manager/manager.yaml", import.meta.url), "utf8");
    const [deployment] = parseAllDocuments(text)
      .map((document) => document.toJS() as { kind: string; spec?: { template: { spec: Record<string, unknown> } } })
      .filter(({ kind }) => kind === "Deployment");
    const seconds = Number(deployment?.spec?.template.spec.terminationGracePeriodSeconds);
    expect(seconds * 1_000).toBeGreaterThanOrEqual(shutdownMs + 5_000);
  });

  it("rejects an invalid scope immediately", async () => {
    const stop = AbortSignal.abort();
    await expect(runOperator({ cnfNamespaces: "A/b" }, stop)).rejects.toThrow(
      /must be "same", "\*" or a comma-separated list/,
    );
  });
});
