import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@kubewright/client";
import { systemClock } from "@kubewright/clock";
import { startControlPlane } from "@kubewright/controller-manager";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { installCrds } from "../demo/install.ts";
import { FirewallRule } from "./api/firewall/firewall-rules.ts";
import { fieldsOf } from "./testing/fields-of.ts";

/** Returns an environment without variables of this workspace or of the user. */
const bare = (home: string): NodeJS.ProcessEnv => ({
  HOME: home,
  USERPROFILE: home,
  SystemRoot: process.env.SystemRoot,
});

describe("the operator in one file", () => {
  const folder = mkdtempSync(join(tmpdir(), "sdewan-operator-bundle-"));
  const file = "sdewan-operator.mjs";
  const children: ChildProcess[] = [];
  beforeAll(() => {
    const tool = fileURLToPath(new URL("../tools/bundle.ts", import.meta.url));
    const args = ["--conditions=@kubewright/source", tool, join(folder, file)];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  });
  afterAll(() => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  });

  const run = (...args: string[]) =>
    spawnSync(process.execPath, [file, ...args], { cwd: folder, env: bare(folder), encoding: "utf8" });

  it("prints its flags, alone in a folder", () => {
    expect(readdirSync(folder)).toEqual([file]);
    const { status, stdout, stderr } = run("--help");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("--cnf-scheme <scheme>");
  });

  it("contains no client-node, which only kubeconfigs with a credential program need", () => {
    const text = readFileSync(join(folder, file), "utf8");
    expect(text.length).toBeLessThan(4_000_000);
    expect(text).not.toContain("V1PodSpec");
  });

  it("contains only ASCII, because V8 otherwise stores two bytes for each character", () => {
    expect(/[\u0080-\uffff]/.exec(readFileSync(join(folder, file), "utf8"))).toBeNull();
  });

  it("contains only the parts of undici that send requests", () => {
    expect(readFileSync(join(folder, file), "utf8")).not.toMatch(/class (?:MockAgent|EventSource|WebSocket)/);
  });

  it("exits with a one-line message without a cluster", () => {
    const { status, stderr } = run("--kubeconfig", "nowhere");
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^sdewan-operator: [^\n]*nowhere[^\n]*\n$/)]);
  });

  it("works on a cluster, and exits with 0 when stopped", async () => {
    const kubeconfigOut = join(folder, "kubeconfig");
    await using plane = await startControlPlane({ kubeconfigOut });
    const client = new Client({ connection: plane.connection() });
    try {
      await installCrds(client, systemClock, new AbortController().signal);
      const metadata = { name: "a", namespace: "default", labels: { sdewanPurpose: "edge7" } };
      await client.create(FirewallRule, { metadata, spec: { target: "DROP" } });
      const nowhere = ["--metrics-bind-address", "0", "--health-probe-bind-address", "0"];
      const args = [file, "--kubeconfig", kubeconfigOut, "--leader-elect", "--leader-election-namespace", "default"];
      const child = spawn(process.execPath, [...args, ...nowhere], { cwd: folder, env: bare(folder) });
      children.push(child);
      const exit = new Promise((resolve) => child.on("close", resolve));
      await vi.waitFor(
        async () => {
          const { status } = await client.get(FirewallRule, "default/a");
          expect(fieldsOf(status)).toEqual({ state: "Idle", message: "No CNF has the purpose edge7" });
        },
        { timeout: 20_000, interval: 50 },
      );
      child.kill("SIGTERM");
      if (process.platform !== "win32") expect(await exit).toBe(0);
    } finally {
      await client.close();
    }
  });
});
