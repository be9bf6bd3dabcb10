import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { main } from "@kubewright/cli";

/** Returns a folder for `KUBEBUILDER_ASSETS` with stand-ins that run our programs. */
export async function standIns(): Promise<string> {
  let out = "";
  const keep = (text: string): void => {
    out += text;
  };
  const code = await main(["envtest-assets"], { out: keep, err: (text) => console.error(text), env: process.env });
  if (code !== 0) throw new Error(`kubewright envtest-assets ended with code ${code}`);
  return out.trim();
}

export interface RunningPlane extends AsyncDisposable {
  readonly kubeconfig: string;
  /** Command line that starts a program which can reach the plane. Default: none is necessary. */
  readonly enter?: readonly string[];
}

/**
 * Starts `kubewright controlplane` in a separate process.
 *
 * @throws {Error} with its output if it does not start
 */
export async function startPlane(...flags: readonly string[]): Promise<RunningPlane> {
  const program = fileURLToPath(new URL("kubewright.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@kubewright/source", program, "controlplane", ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  child.on("close", () => end());
  let out = "";
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text;
    if (out.includes("\n")) resolve();
  });
  await Promise.race([ready, ended]);
  const kubeconfig = /kubeconfig: (.*)\n/.exec(out)?.[1];
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
  };
  if (kubeconfig === undefined) {
    await stop();
    throw new Error(`the control plane did not start: ${out}`);
  }
  return { kubeconfig, [Symbol.asyncDispose]: stop };
}
