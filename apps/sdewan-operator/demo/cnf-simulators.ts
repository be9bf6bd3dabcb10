import { keyOf, type ObjectKey } from "@kubewright/apimachinery";
import type { ContainerContext, ImageRegistry, RunningContainer } from "@kubewright/controller-manager";
import { CnfSimulator, type CnfSimulatorOptions } from "@kubewright/openwrt/testing";
import { accountSecretLabel, certSecretLabel, endpointAnnotation } from "../src/api/group.ts";
import { attachedNetworks } from "../src/cnf/networks.ts";
import { ruleKinds } from "../src/kinds/rule-kinds.ts";

/** Settings of all simulated CNFs of a node. */
export interface CnfSimulatorsOptions {
  /** True to simulate the reference CNF including its quirks. Default false. */
  readonly quirks?: boolean;
}

/**
 * CNFs for a simulated node. A pod whose image is one of {@link images} becomes a CNF simulator on the pod's address and a free port, which
 * the operator finds in an annotation of the pod. Its interfaces come from the pod's network annotation, its password and certificate from
 * the Secrets that its labels name.
 */
export class CnfSimulators {
  readonly #options: CnfSimulatorsOptions;
  readonly #running = new Map<ObjectKey, CnfSimulator>();

  constructor(options: CnfSimulatorsOptions = {}) {
    this.#options = options;
  }

  /** The images for a simulated node. */
  get images(): ImageRegistry {
    const start = (context: ContainerContext) => this.#start(context);
    return { "kubewright/cnf-simulator": start, "integratedcloudnative/sdewan-cnf": start };
  }

  /** The running simulators, keyed by the key of their pod. */
  get running(): ReadonlyMap<ObjectKey, CnfSimulator> {
    return this.#running;
  }

  async #start(context: ContainerContext): Promise<RunningContainer> {
    const simulator = await CnfSimulator.start(await this.#settings(context));
    const key = keyOf(context.pod);
    this.#running.set(key, simulator);
    const { promise: exited, resolve } = Promise.withResolvers<number>();
    const stop = async (): Promise<void> => {
      if (this.#running.get(key) === simulator) this.#running.delete(key);
      await simulator.stop();
      resolve(0);
    };
    return {
      exited,
      stop,
      annotations: { [endpointAnnotation]: `${new URL(simulator.url).protocol}${simulator.port}` },
    };
  }

  async #settings({ pod, ip, readSecret }: ContainerContext): Promise<CnfSimulatorOptions> {
    const { labels = {}, annotations } = pod.metadata;
    const account = await secretNamed(labels[accountSecretLabel], readSecret);
    const certificate = await secretNamed(labels[certSecretLabel], readSecret);
    const [cert, key] = [certificate?.get("tls.crt"), certificate?.get("tls.key")];
    const networks = attachedNetworks(annotations).map(({ interface: name, ipAddress: address }, index) => ({
      name,
      ip: address ?? `10.10.${index}.2`,
    }));
    return {
      host: ip,
      password: account?.get("password") ?? "",
      interfaces: [{ name: "eth0", ip }, ...networks],
      quirks: this.#options.quirks ?? false,
      collections: ruleKinds,
      ...(cert && key ? { tls: { cert, key } } : {}),
    };
  }
}

const secretNamed = async (name: string | undefined, read: ContainerContext["readSecret"]) =>
  name === undefined ? undefined : read(name);
