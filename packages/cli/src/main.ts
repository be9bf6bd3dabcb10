import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { npmParent } from "./process/die-with-parent.ts";
import { type Io, processIo } from "./process/io.ts";
import { stopSignal } from "./process/stop-signal.ts";

/**
 * The command `kubewright`.
 *
 * @param argv without the program's own name
 * @returns the code to end with
 */
export async function main(argv: readonly string[], io: Io = processIo): Promise<number> {
  let code = 0;
  const program = new Command("kubewright")
    .description(
      "Kubernetes controllers in TypeScript: a development control plane, and a drop-in for envtest's binaries",
    )
    .version(version())
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err });
  program
    .command("controlplane")
    .description("run API server, controllers and two simulated nodes; takes kube-apiserver's flags")
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .argument("[flags...]")
    .action(async (flags: string[]) => {
      const { signal, release } = stopSignal(npmParent(process.env));
      const { runControlPlane } = await import("./controlplane/run.ts");
      code = await runControlPlane(flags, io, signal).finally(release);
    });
  program
    .command("envtest-assets")
    .description("print a folder for KUBEBUILDER_ASSETS: etcd, kube-apiserver and kubectl that stand for ours")
    .action(async () => {
      const { envtestAssets } = await import("./envtest-assets/command.ts");
      code = await envtestAssets(io);
    });
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
}

function version(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
