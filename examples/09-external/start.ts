import { join } from "node:path";
import { startControlPlane } from "@kubewright/controller-manager";
import { Client, signalContext } from "kubewright";
import { CustomResourceDefinition } from "kubewright/kinds";
import { Device } from "./api/device.ts";
import { DeviceSimulator } from "./device-simulator.ts";
import { main } from "./main.ts";

/**
 * Runs the program on its own control plane, with simulated devices, until
 * Ctrl-C.
 */
const kubeconfigOut = join(import.meta.dirname, "kubeconfig");
await using plane = await startControlPlane({ kubeconfigOut });
const connection = plane.connection();
await using client = new Client({ connection });
await client.create(CustomResourceDefinition, Device.crd);
const simulator = new DeviceSimulator();
const url = `${await simulator.start()}/start`;
console.log(`Try in another terminal, until you press Ctrl-C here:
  export KUBECONFIG=${kubeconfigOut}
  kubectl apply -f ${join(import.meta.dirname, "samples")}
  kubectl get devices
  kubectl delete device lamp # its finalizer removes it from the external system first`);
await main({ connection, metrics: { bindAddress: "0" }, url }, signalContext());
await simulator.stop();
