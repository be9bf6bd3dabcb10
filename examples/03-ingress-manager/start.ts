import { join } from "node:path";
import { startControlPlane } from "@kubewright/controller-manager";
import { Client, signalContext } from "kubewright";
import { Service } from "kubewright/kinds";
import { annotation } from "./ingress.ts";
import { main } from "./main.ts";

/**
 * Runs the program on its own control plane, with a Service that gets an
 * Ingress, until Ctrl-C.
 */
const kubeconfigOut = join(import.meta.dirname, "kubeconfig");
await using plane = await startControlPlane({ kubeconfigOut });
await using client = new Client({ connection: plane.connection() });
const metadata = {
  name: "shop",
  namespace: "default",
  annotations: { [annotation]: "yes" },
};
await client.create(Service, {
  metadata,
  spec: { selector: { app: "shop" }, ports: [{ port: 80 }] },
});
console.log(`Try in another terminal, until you press Ctrl-C here:
  export KUBECONFIG=${kubeconfigOut}
  kubectl get services,ingresses # the Service was created at the start
  kubectl delete ingress shop # it is restored
  kubectl annotate service shop ingress/http- # now the Ingress is deleted`);
await main(plane.connection(), signalContext());
