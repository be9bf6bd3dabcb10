import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { Client } from "@kubewright/client";
import { Lease } from "@kubewright/client/kinds";
import { Environment } from "@kubewright/envtest";
import { expect, it, onTestFinished } from "vitest";

const program = (leaderElection: string): string => `
  import { run, silentLogger } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
  await run((manager) => {
    manager.add({ run: (signal) => {
      console.log("leads");
      return new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    } });
  }, { leaderElection: ${leaderElection}, logger: silentLogger, metrics: { bindAddress: "0" } });
`;

it("releases the Lease at its end, unless disabled", async () => {
  await using env = await Environment.start();
  await using client = new Client({ connection: env.connection() });
  const folder = mkdtempSync(join(tmpdir(), "kubewright-run-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, env.kubeconfig(), { mode: 0o600 });
  const holderAfter = async (id: string, more = ""): Promise<string | undefined> => {
    const script = program(`{ id: "${id}", namespace: "default"${more} }`);
    const flags = ["--leader-elect", "--kubeconfig", kubeconfig];
    const args = ["--conditions=@kubewright/source", "--input-type=module", "-e", script, "--", "main.ts", ...flags];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    const stderr = text(child.stderr);
    await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
    expect({ code: child.exitCode, err: await stderr }).toEqual({ code: 0, err: "" });
    return (await client.get(Lease, `default/${id}`)).spec?.holderIdentity;
  };
  expect(await holderAfter("polite")).toBe("");
  expect(await holderAfter("keeps", ", releaseOnCancel: false")).not.toBe("");
}, 60_000);
