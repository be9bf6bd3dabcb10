import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { output } from "./commands.ts";

export interface WantedPrograms {
  readonly root: string;
  readonly kubernetes: string;
  /** Folder with the `go.mod` that pins this version. */
  readonly module: string;
  /** Folder that is used only for this version. */
  readonly workFolder: string;
  readonly names: readonly string[];
}

/**
 * Returns the folder with the real programs of a version. The folder that tests share is used if its programs have this
 * version. Otherwise, that folder stays unchanged, because running tests would find a different server there.
 *
 * @param shared folder that `npm run envtest:build` fills
 */
export function realPrograms(wanted: WantedPrograms, shared: string): string {
  // The folder may contain a kubectl of another version, because envtest:build can build kube-apiserver alone.
  const isShared =
    versionOf(join(shared, "kube-apiserver"), "--version")?.trim() === `Kubernetes v${wanted.kubernetes}` &&
    (!wanted.names.includes("kubectl") ||
      versionOf(join(shared, "kubectl"), "version", "--client")?.includes(`Client Version: v${wanted.kubernetes}\n`));
  if (isShared) return shared;
  const builder = ["tools/kube-apiserver/src/main.ts", wanted.workFolder, wanted.module, ...wanted.names];
  const printed = output(process.execPath, builder, { folder: wanted.root });
  const [, assets] = /^export KUBEBUILDER_ASSETS=(.*)$/m.exec(printed) ?? [];
  if (!assets) throw new Error("the programs were not built");
  return assets;
}

function versionOf(program: string, ...args: string[]): string | undefined {
  const { stdout, error } = spawnSync(program, args, { encoding: "utf8" });
  return error ? undefined : stdout;
}
