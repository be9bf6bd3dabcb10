import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { expect, it } from "vitest";

const needs = { meta: { needs: "KUBEBUILDER_ASSETS: npm run envtest:build builds the programs, with Go" } };

const assets = process.env.KUBEBUILDER_ASSETS ?? "";

const program = `
  import { Environment } from "@kubewright/envtest";
  const env = await Environment.start();
  console.log(env.bed);
  process.kill(process.pid, "SIGKILL");
`;

it.skipIf(assets === "")("leaves no processes or folders behind when killed", needs, async () => {
  const folder = mkdtempSync(join(tmpdir(), "leftovers-"));
  const child = spawn(process.execPath, ["--conditions=@kubewright/source", "--input-type=module", "-e", program], {
    cwd: import.meta.dirname,
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);

  expect(output).toBe("real\n");
  // The folder is deleted after its program has ended.
  await expect.poll(() => readdirSync(folder), { timeout: 5_000 }).toEqual([]);
  rmSync(folder, { recursive: true });
});
