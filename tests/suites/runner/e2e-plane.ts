import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunningPlane } from "./commands.ts";
import { buildCommand } from "./go-suite.ts";

/**
 * Starts a control plane whose nodes simulate the images of Kubernetes' tests. It runs in a separate network namespace, in which pods have
 * addresses that the control plane can reach. Requires Linux and, unless root runs the tests, user namespaces.
 *
 * @throws {Error} with its output if it does not start
 */
export async function startE2ePlane(): Promise<RunningPlane> {
  const agnhost = join(
    await buildCommand({ module: "agnhost", package: "k8s.io/kubernetes/test/images/agnhost" }),
    "agnhost",
  );
  const folder = mkdtempSync(join(tmpdir(), "kubewright-e2e-"));
  const kubeconfig = join(folder, "kubeconfig");
  const isRoot = process.geteuid?.() === 0;
  const program = fileURLToPath(new URL("../e2e-images/plane.ts", import.meta.url));
  const node = [process.execPath, "--conditions=@kubewright/source", program, agnhost, kubeconfig];
  const child = spawn("unshare", ["--net", ...(isRoot ? [] : ["--map-root-user"]), ...node], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  child.on("error", () => end());
  child.on("close", () => end());
  const { promise: ready, resolve } = Promise.withResolvers<true>();
  child.stdout.on("data", () => resolve(true));
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true });
  };
  if (!(await Promise.race([ready, ended]))) {
    rmSync(folder, { recursive: true });
    throw new Error("the control plane did not start; its network requires Linux, unshare, nsenter, setpriv and ip");
  }
  const user = isRoot ? [] : ["--user", "--preserve-credentials"];
  const enter = ["nsenter", `--target=${child.pid}`, "--net", ...user];
  return { kubeconfig, enter, [Symbol.asyncDispose]: stop };
}
