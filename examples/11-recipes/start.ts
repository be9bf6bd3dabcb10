import { join } from "node:path";
import { startControlPlane } from "@kubewright/controller-manager";
import { Client, signalContext } from "kubewright";
import { CustomResourceDefinition } from "kubewright/kinds";
import { main } from "./main.ts";
import { Shop } from "./shop.ts";

/** The program on a control plane of its own, with a registry that only says what it is asked, until Ctrl-C. */
const kubeconfigOut = join(import.meta.dirname, "kubeconfig");
await using plane = await startControlPlane({ kubeconfigOut });
const connection = plane.connection();
await using client = new Client({ connection });
await client.create(CustomResourceDefinition, Shop.crd);
const registry = {
  enter: async (host: string) => console.log(`registry: ${host} is entered`),
  remove: async (host: string) => console.log(`registry: ${host} is removed`),
};
console.log(`In another terminal, until Ctrl-C here:
  export KUBECONFIG=${kubeconfigOut}
  kubectl apply -f ${join(import.meta.dirname, "sample.yaml")}
  kubectl get shops,events
  kubectl delete shop corner # its finalizer takes the name out of the registry first`);
await main({ connection, metrics: { bindAddress: "0" } }, registry, signalContext());
