import { readFileSync } from "node:fs";
import { kubernetesVersion } from "@kubewright/apimachinery";
import { Command, CommanderError } from "commander";
import { addBuild } from "./build/build-command.ts";
import { addCheck } from "./check/check-command.ts";
import { addApply } from "./cluster/apply-command.ts";
import type { CommandContext } from "./command/context.ts";
import { CommandError, UsageError } from "./command/errors.ts";
import { exitCodeOf } from "./command/exit-code.ts";
import { onOneLine, printable } from "./command/printable.ts";
import { addConsoleCommand } from "./console/console-command.ts";
import { addCreate } from "./create/create-command.ts";
import { addDeploy } from "./deploy/deploy-command.ts";
import { addUndeploy } from "./deploy/undeploy-command.ts";
import { addDev } from "./dev/dev-command.ts";
import { addDocs } from "./docs/docs-command.ts";
import { addDoctor } from "./doctor/doctor-command.ts";
import { addGenerate } from "./generate/generate-command.ts";
import { addImage } from "./image/image-command.ts";
import { addInstall } from "./install/install-command.ts";
import { addPlan } from "./plan/plan-command.ts";
import { npmParent } from "./process/die-with-parent.ts";
import { type Io, processIo } from "./process/io.ts";
import { stopSignal } from "./process/stop-signal.ts";
import { addReplay } from "./replay/replay-command.ts";
import { addInit } from "./scaffold/init-command.ts";
import { addUpgrade } from "./scaffold/upgrade-command.ts";
import { addSimulate } from "./simulate/simulate-command.ts";

/**
 * Runs the `kubewright` command.
 *
 * @param argv arguments without the program name
 * @returns the exit code: 0 for success, 1 for a failure, 2 for wrong usage, 3 if the cluster rejected the request or
 * is unreachable
 */
export async function main(argv: readonly string[], io: Io = processIo): Promise<number> {
  let code = 0;
  const run = async (command: (signal: AbortSignal) => Promise<number>): Promise<void> => {
    const { signal, release } = stopSignal(npmParent(io.env));
    code = await command(signal).finally(release);
  };
  const program = new Command("kubewright")
    .description("develop, test and deploy Kubernetes controllers in TypeScript")
    .version(version())
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: io.err });
  addProjectCommands(program, { io, cwd: io.cwd ?? process.cwd(), run });
  program
    .command("controlplane")
    .description("run a development control plane with simulated nodes")
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .argument("[flags...]")
    .action((flags: string[]) =>
      run(async (signal) => {
        const { runControlPlane } = await import("./controlplane/run.ts");
        return runControlPlane(flags, io, signal);
      }),
    );
  program
    .command("envtest-assets")
    .description(`print the folder for KUBEBUILDER_ASSETS (Kubernetes ${kubernetesVersion})`)
    .option("--kubernetes <version>", "fail unless the server has this version, such as 1.37")
    .addHelpText("after", envtestHelp)
    .action((options: { readonly kubernetes?: string }) =>
      run(async () => {
        const { envtestAssets } = await import("./envtest-assets/command.ts");
        return envtestAssets(io, options);
      }),
    );
  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const text = error instanceof Error ? error.message : String(error);
    const isOwn = error instanceof UsageError || error instanceof CommandError;
    io.err(`${isOwn ? printable(text) : onOneLine(text)}\n`);
    return exitCodeOf(error);
  }
}

const envtestHelp = `
The folder contains programs named etcd and kube-apiserver, and a link to the kubectl in PATH. This folder is in
\${XDG_CACHE_HOME:-~/.cache}/kubewright, and remains usable if npx's cache is deleted. No real etcd is needed.

  KUBEBUILDER_ASSETS="$(npx -y kubewright envtest-assets)" go test ./...`;

function addProjectCommands(program: Command, context: CommandContext): void {
  addInit(program, context);
  addCreate(program, context);
  addGenerate(program, context);
  addCheck(program, context);
  addInstall(program, context);
  addDev(program, context);
  addDoctor(program, context);
  addSimulate(program, context);
  addPlan(program, context);
  addReplay(program, context);
  addBuild(program, context);
  addImage(program, context);
  addDeploy(program, context);
  addUndeploy(program, context);
  addApply(program, context);
  addUpgrade(program, context);
  addConsoleCommand(program, context);
  addDocs(program, context);
}

function version(): string {
  const text = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
