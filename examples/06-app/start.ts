import { join } from "node:path";
import { startControlPlane } from "@kubewright/controller-manager";
import { localCertificates } from "@kubewright/webhook/local";
import { Client, Manager, signalContext, unstructured } from "kubewright";
import { CustomResourceDefinition } from "kubewright/kinds";
import { App } from "./app.ts";
import { setup } from "./main.ts";

/**
 * Runs the program on its own control plane, which calls its webhooks by URL,
 * until Ctrl-C.
 */
const signal = signalContext();
const kubeconfigOut = join(import.meta.dirname, "kubeconfig");
await using plane = await startControlPlane({ kubeconfigOut });
const connection = plane.connection();
await using client = new Client({ connection, fieldOwner: "start" });
await client.create(CustomResourceDefinition, App.crd);

const webhooks = {
  host: "127.0.0.1",
  port: 0,
  certificates: localCertificates({ hosts: ["127.0.0.1"] }),
};
const manager = new Manager({
  connection,
  fieldOwner: "app-controller",
  metrics: { bindAddress: "0" },
  webhooks,
});
setup(manager);
const running = manager.run(signal);
while (manager.webhooks.port === undefined)
  await manager.clock.sleep(10, signal);
for (const object of manager.webhooks.configurations({
  url: `https://127.0.0.1:${manager.webhooks.port}`,
}))
  await client.apply(unstructured(object), object, { force: true });
console.log(`Try in another terminal, until you press Ctrl-C here:
  export KUBECONFIG=${kubeconfigOut}
  kubectl apply -f ${join(import.meta.dirname, "sample.yaml")}
  kubectl get apps.ingress.example.com,deployments,services,ingresses`);
await running;
