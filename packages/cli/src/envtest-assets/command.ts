import { spawnSync } from "node:child_process";
import type { Io } from "../process/io.ts";
import { makeAssets } from "./assets.ts";

/** Prints the folder for `KUBEBUILDER_ASSETS`, and nothing else on standard output. */
export async function envtestAssets(io: Io): Promise<number> {
  if (process.platform === "win32") {
    io.err("kubewright: the programs are shell scripts, which Windows does not run\n");
    return 1;
  }
  const { folder, compileCache, kubectl, warmUp } = await makeAssets(io.env, (text) => io.err(`kubewright: ${text}\n`));
  // Compiled code is kept from the first start on, so that tests do not wait for it. A failure costs time later, nothing else.
  if (warmUp)
    spawnSync(process.execPath, warmUp, {
      env: { ...io.env, NODE_COMPILE_CACHE: compileCache, NODE_OPTIONS: "" },
      stdio: "ignore",
    });
  if (kubectl === undefined) io.err("kubewright: no kubectl on the PATH, so there is none in the folder\n");
  io.out(`${folder}\n`);
  return 0;
}
