import { join } from "node:path";
import { startControlPlane } from "@kubewright/controller-manager";
import { Client, signalContext, systemClock } from "kubewright";
import { Deployment, Node } from "kubewright/kinds";
import { main } from "./main.ts";

/** Runs the program on its own control plane until Ctrl-C. */
const kubeconfigOut = join(import.meta.dirname, "kubeconfig");
await using plane = await startControlPlane({ kubeconfigOut });
await using client = new Client({ connection: plane.connection() });
const labels = { app: "shop" };
const template = {
  metadata: { labels },
  spec: { containers: [{ name: "web", image: "nginx" }] },
};
const metadata = { name: "shop", namespace: "default" };
await client.create(Deployment, {
  metadata,
  spec: { replicas: 2, selector: { matchLabels: labels }, template },
});
let [node] = await client.list(Node);
for (; !node; [node] = await client.list(Node)) await systemClock.sleep(100);
console.log(`Prints two pods on a node every ten seconds until you press Ctrl-C. Try in another terminal:
  export KUBECONFIG=${kubeconfigOut}
  kubectl get pods --show-labels
  kubectl scale deployment shop --replicas 3`);
await main(
  kubeconfigOut,
  { node: node.metadata.name, labels: "app=shop" },
  signalContext(),
);
