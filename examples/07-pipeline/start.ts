import { join } from "node:path";
import { startControlPlane } from "@kubewright/controller-manager";
import { Client, signalContext } from "kubewright";
import { CustomResourceDefinition } from "kubewright/kinds";
import { main } from "./main.ts";
import { Pipeline } from "./pipeline.ts";

/** Runs the program on its own control plane until Ctrl-C. */
const kubeconfigOut = join(import.meta.dirname, "kubeconfig");
await using plane = await startControlPlane({ kubeconfigOut });
await using client = new Client({ connection: plane.connection() });
await client.create(CustomResourceDefinition, Pipeline.crd);
console.log(`Try in another terminal, until you press Ctrl-C here:
  export KUBECONFIG=${kubeconfigOut}
  kubectl apply -f ${join(import.meta.dirname, "sample.yaml")}
  kubectl get pipelines,persistentvolumes,persistentvolumeclaims,deployments,services`);
await main(
  { connection: plane.connection(), metrics: { bindAddress: "0" } },
  signalContext(),
);
