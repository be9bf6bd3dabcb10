import { join } from "node:path";
import { startControlPlane } from "@kubewright/controller-manager";
import { Client, signalContext } from "kubewright";
import { ConfigMap } from "kubewright/kinds";
import { wanted } from "./controller.ts";
import { main } from "./main.ts";

/** The program with two control planes of its own, and something to copy from one to the other, until Ctrl-C. */
const kubeconfig = (name: string): string => join(import.meta.dirname, `${name}.kubeconfig`);
await using hub = await startControlPlane({ kubeconfigOut: kubeconfig("hub") });
await using member = await startControlPlane({ kubeconfigOut: kubeconfig("member") });
await using client = new Client({ connection: hub.connection() });
const metadata = { namespace: "default", name: "greeting", labels: { [wanted]: "yes" } };
await client.create(ConfigMap, { metadata, data: { text: "hello" } });
for (const name of ["hub", "member"]) console.log(`kubectl --kubeconfig ${kubeconfig(name)} get configmaps`);
await main({ hub: hub.connection(), member: member.connection() }, signalContext());
