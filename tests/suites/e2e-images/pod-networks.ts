import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readlink } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { AddressPool, ContainerContext } from "@kubewright/controller-manager";

const run = promisify(execFile);
const bridge = "kubewright0";

/** Address of the bridge that connects the pods' networks with the control plane. */
export const bridgeAddress = "10.243.0.1";

/** Returns addresses in the bridge's network. Unlike loopback addresses, they are allowed in Endpoints. */
export function podAddresses(): AddressPool {
  let last = 0;
  return {
    take: () => {
      last = (last + 1) % 60_000;
      return `10.243.${1 + Math.floor(last / 250)}.${1 + (last % 250)}`;
    },
    giveBack: () => {},
  };
}

/** Creates the bridge, in the network namespace of this process, which must be a separate one. */
export async function createBridge(): Promise<void> {
  await run("ip", ["link", "set", "lo", "up"]);
  await run("ip", ["link", "add", bridge, "type", "bridge"]);
  await run("ip", ["address", "add", `${bridgeAddress}/16`, "dev", bridge]);
  await run("ip", ["link", "set", bridge, "up"]);
}

/** Network namespaces of pods, each with the pod's address. */
export class PodNetworks {
  readonly #networks = new Map<string, Promise<ChildProcess>>();
  #count = 0;

  /** Reports whether a pod has a network, because one of its containers runs a server. */
  has({ metadata }: DeepReadonly<Pod>): boolean {
    return this.#networks.has(metadata.uid ?? "");
  }

  /** Returns the command line that starts a program in a pod's network. The program ends at the latest with this process. */
  async enter(context: ContainerContext): Promise<readonly string[]> {
    const { uid = "" } = context.pod.metadata;
    let network = this.#networks.get(uid);
    if (!network) {
      network = this.#create(context.ip);
      this.#networks.set(uid, network);
      context.atPodEnd(async () => {
        this.#networks.delete(uid);
        (await network)?.kill("SIGKILL");
      });
    }
    return ["setpriv", "--pdeathsig", "KILL", "nsenter", `--net=/proc/${(await network).pid}/ns/net`];
  }

  /** Starts a process that keeps a network namespace, and connects it to the bridge. */
  async #create(ip: string): Promise<ChildProcess> {
    const holder = spawn("setpriv", ["--pdeathsig", "KILL", "unshare", "--net", "sleep", "infinity"], {
      stdio: "ignore",
    });
    const own = await readlink("/proc/self/ns/net");
    const namespace = `/proc/${holder.pid}/ns/net`;
    while ((await readlink(namespace)) === own) await sleep(5);
    const link = `pod${++this.#count}`;
    await run("ip", ["link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", String(holder.pid)]);
    await run("ip", ["link", "set", link, "master", bridge, "up"]);
    const inside = (...args: string[]) => run("nsenter", [`--net=${namespace}`, "ip", ...args]);
    await inside("address", "add", `${ip}/16`, "dev", "eth0");
    await inside("link", "set", "eth0", "up");
    await inside("link", "set", "lo", "up");
    return holder;
  }
}
