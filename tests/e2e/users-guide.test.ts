import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { MainJob } from "./harness/main-job.ts";
import { userEnvironment } from "./harness/program.ts";

const needs = { meta: { needs: "kubectl and openssl on the PATH" } };

const guide = readFileSync(new URL("../../docs/sdewan/users-and-buckets.md", import.meta.url), "utf8");
/** The commands in the guide, and their expected output. */
const steps = [...guide.matchAll(/```sh\n(?<typed>[\s\S]*?)```\n\n```text\n(?<shown>[\s\S]*?)```/g)].map(
  ({ groups = {} }) => ({
    typed: groups.typed ?? "",
    shown: (groups.shown ?? "").trim().split("\n"),
  }),
);
/** Normalizes the column widths of kubectl. */
const plain = (text: string): string => text.trim().replaceAll(/[ \t]+/g, " ");
const hasPrograms = ["kubectl", "openssl"].every(
  (name) => spawnSync(name, ["version", "--client"]).error === undefined,
);

describe.skipIf(!hasPrograms)("the guide to users and buckets", needs, () => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-users-"));
  const kubeconfig = join(folder, "kubeconfig");
  let job: MainJob;
  beforeAll(async () => {
    job = new MainJob(["--kubeconfig-out", kubeconfig, "--no-samples"]);
    await job.prints("a FirewallRule in the bucket k8s-service: refused", 60_000);
  }, 90_000);
  afterAll(async () => {
    await job?.kill();
    rmSync(folder, { recursive: true });
  });

  const type = async (typed: string): Promise<{ readonly code: number | null; readonly output: string }> => {
    const env = { ...userEnvironment, HOME: folder, KUBECONFIG: kubeconfig };
    const child = spawn("bash", ["-e", "-o", "pipefail", "-c", typed], { cwd: folder, env });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString("utf8");
      });
    return { code: await new Promise((resolve) => child.on("close", resolve)), output };
  };

  it("has the documented output for each command", async () => {
    expect(steps).toHaveLength(8);
    for (const { typed, shown } of steps) {
      const isRefused = shown.some((line) => line.includes("denied the request"));
      // A role takes effect a moment after it was written.
      await eventually(async () => {
        const { code, output } = await type(typed);
        for (const line of shown) expect(plain(output), typed).toContain(plain(line));
        expect(code === 0, output).toBe(!isRefused);
      }, 10_000);
    }
  }, 120_000);
});
