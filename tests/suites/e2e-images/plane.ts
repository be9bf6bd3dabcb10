import { startControlPlane } from "@kubewright/controller-manager";
import { createLogger } from "@kubewright/log";
import { e2eImages } from "./e2e-images.ts";
import { bridgeAddress, createBridge, PodNetworks, podAddresses } from "./pod-networks.ts";

// Runs a control plane whose nodes simulate the images of Kubernetes' tests, in a network namespace of its own.
// Arguments: the path of `agnhost`, and the path of the kubeconfig to write.
const [agnhost = "", kubeconfig = ""] = process.argv.slice(2);
await createBridge();
const plane = await startControlPlane({
  nodes: 2,
  images: e2eImages({ servers: { agnhost, networks: new PodNetworks() } }),
  addresses: podAddresses(),
  kubeconfigOut: kubeconfig,
  logger: createLogger({ level: "warn" }),
  apiServer: { advertiseAddress: bridgeAddress },
});
console.log("ready");
process.once("SIGTERM", () => void plane.stop());
