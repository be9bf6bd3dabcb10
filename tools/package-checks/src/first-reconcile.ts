import { join } from "node:path";
import { run } from "./command.ts";
import { Program } from "./program.ts";

/** Runs the project against its own control plane until its controller has reconciled the sample. */
export async function firstReconcile(folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  const kubeconfig = join(folder, "..", "kubeconfig");
  const kubewright = (...words: string[]): string => run("npx", ["kubewright", ...words], { cwd: folder, env });
  const cli = join("node_modules", "@kubewright", "cli", "bin", "kubewright.mjs");
  await using plane = new Program("node", [cli, "controlplane", "--kubeconfig-out", kubeconfig], folder, env);
  await plane.prints(/control plane ready/);
  kubewright("install", "--kubeconfig", kubeconfig);
  const nowhere = ["--metrics-bind-address", "0", "--health-probe-bind-address", "0"];
  const words = ["src/main.ts", "--kubeconfig", kubeconfig, "--log-level", "debug", ...nowhere];
  await using program = new Program("node", words, folder, env);
  kubewright("apply", "-f", "config/samples", "--kubeconfig", kubeconfig);
  await program.prints(/"name":"example".*"reconciled"/);
}
