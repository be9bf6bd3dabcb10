import { mkdtempSync, rmSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { type AddressPool, startControlPlane } from "@kubewright/controller-manager";
import { createLogger } from "@kubewright/log";
import { e2eImages } from "../e2e-images/e2e-images.ts";
import type { RunningPlane } from "./commands.ts";

/** Starts a control plane in this process whose nodes simulate the images of Kubernetes' tests. */
export async function startE2ePlane(): Promise<RunningPlane> {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-e2e-"));
  const kubeconfig = join(folder, "kubeconfig");
  const external = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal);
  const plane = await startControlPlane({
    nodes: 2,
    images: e2eImages(),
    addresses: podAddresses(),
    kubeconfigOut: kubeconfig,
    logger: createLogger({ level: "warn" }),
    apiServer: external ? { advertiseAddress: external.address } : {},
  });
  const stop = async (): Promise<void> => {
    await plane.stop();
    rmSync(folder, { recursive: true });
  };
  return { kubeconfig, [Symbol.asyncDispose]: stop };
}

/** Returns addresses of a nonexistent network. Unlike loopback addresses, they are allowed in Endpoints. */
function podAddresses(): AddressPool {
  let last = 0;
  return {
    take: () => {
      last = (last + 1) % 60_000;
      return `10.243.${Math.floor(last / 250)}.${1 + (last % 250)}`;
    },
    giveBack: () => {},
  };
}
