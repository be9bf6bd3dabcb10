import { join } from "node:path";
import { startControlPlane } from "@kubewright/controller-manager";
import { Client, signalContext } from "kubewright";
import { ConfigMap } from "kubewright/kinds";
import { wanted } from "./controller.ts";
import { main } from "./main.ts";

/**
 * Runs the program with two control planes of its own, and a ConfigMap to copy
 * from one to the other, until Ctrl-C.
 */
const kubeconfig = (name: string): string =>
  join(import.meta.dirname, `${name}.kubeconfig`);
await using hub = await startControlPlane({ kubeconfigOut: kubeconfig("hub") });
await using member = await startControlPlane({
  kubeconfigOut: kubeconfig("member"),
});
await using client = new Client({ connection: hub.connection() });
const metadata = {
  namespace: "default",
  name: "greeting",
  labels: { [wanted]: "yes" },
};
await client.create(ConfigMap, { metadata, data: { text: "hello" } });
console.log(`Try in another terminal, until you press Ctrl-C here:
  kubectl --kubeconfig ${kubeconfig("hub")} get configmaps
  kubectl --kubeconfig ${kubeconfig("member")} get configmap greeting -o yaml # the copy
  kubectl --kubeconfig ${kubeconfig("hub")} delete configmap greeting # deletes it in both clusters`);
await main(
  { hub: hub.connection(), member: member.connection() },
  signalContext(),
);
