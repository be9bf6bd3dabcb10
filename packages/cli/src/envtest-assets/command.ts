import { spawnSync } from "node:child_process";
import { kubernetesVersion } from "@kubewright/apimachinery";
import { CommandError, UsageError } from "../command/errors.ts";
import type { Io } from "../process/io.ts";
import { makeAssets } from "./assets.ts";

export interface EnvtestAssetsOptions {
  /** Kubernetes version that the tests need: `1.37`, `v1.37`, `1.37.x` or `1.37.2`. Only the minor version is compared. Default: any. */
  readonly kubernetes?: string;
}

/**
 * Runs `kubewright envtest-assets`. Prints only the folder for `KUBEBUILDER_ASSETS` on standard output.
 *
 * @throws {UsageError} if the option is not a version
 * @throws {CommandError} if the server has a different version, or the folder cannot be written
 */
export async function envtestAssets(io: Io, { kubernetes }: EnvtestAssetsOptions = {}): Promise<number> {
  if (kubernetes !== undefined) checkVersion(kubernetes);
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

function checkVersion(wanted: string): void {
  const [, minor] = /^v?(\d+\.\d+)(\.(\d+|x))?$/.exec(wanted) ?? [];
  if (minor === undefined) throw new UsageError(`--kubernetes "${wanted}" is not a Kubernetes version such as 1.37`);
  if (!kubernetesVersion.startsWith(`v${minor}.`))
    throw new CommandError(
      `the server is Kubernetes ${kubernetesVersion}, not ${wanted}; omit --kubernetes to test against it, or use another version of kubewright`,
    );
}
