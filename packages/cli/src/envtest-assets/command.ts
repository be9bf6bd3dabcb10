import { spawnSync } from "node:child_process";
import type { Io } from "../process/io.ts";
import { makeAssets } from "./assets.ts";

/** Runs `kubewright envtest-assets`. Prints only the folder for `KUBEBUILDER_ASSETS` on standard output. */
export async function envtestAssets(io: Io): Promise<number> {
  if (process.platform === "win32") {
    io.err("kubewright: the programs are shell scripts, which Windows cannot run\n");
    return 1;
  }
  const { folder, compileCache, kubectl, warmUp } = await makeAssets(io.env, (text) => io.err(`kubewright: ${text}\n`));
  // Compiles the programs now, so that tests need not wait. A failure only slows down the first start.
  if (warmUp)
    spawnSync(process.execPath, warmUp, {
      env: { ...io.env, NODE_COMPILE_CACHE: compileCache, NODE_OPTIONS: "" },
      stdio: "ignore",
    });
  if (kubectl === undefined) io.err("kubewright: kubectl is not in PATH; the folder does not contain it\n");
  io.out(`${folder}\n`);
  return 0;
}
