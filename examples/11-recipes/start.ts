import { join } from "node:path";
import { startControlPlane } from "@kubewright/controller-manager";
import { Client, signalContext } from "kubewright";
import { CustomResourceDefinition } from "kubewright/kinds";
import { main } from "./main.ts";
import { Shop } from "./shop.ts";

/**
 * Runs the program on its own control plane, with a registry that only prints
 * its calls, until Ctrl-C.
 */
const kubeconfigOut = join(import.meta.dirname, "kubeconfig");
await using plane = await startControlPlane({ kubeconfigOut });
const connection = plane.connection();
await using client = new Client({ connection });
await client.create(CustomResourceDefinition, Shop.crd);
const registry = {
  enter: async (host: string) => console.log(`registry: ${host} entered`),
  remove: async (host: string) => console.log(`registry: ${host} removed`),
};
console.log(`Try in another terminal, until you press Ctrl-C here:
  export KUBECONFIG=${kubeconfigOut}
  kubectl apply -f ${join(import.meta.dirname, "sample.yaml")}
  kubectl get shops,events
  kubectl delete shop corner # its finalizer removes the name from the registry first`);
await main(
  { connection, metrics: { bindAddress: "0" } },
  registry,
  signalContext(),
);
