import { keyOf, type ObjectKey } from "@kubewright/apimachinery";
import type { ContainerContext, ImageRegistry, RunningContainer } from "@kubewright/controller-manager";
import { CnfSimulator, type CnfSimulatorOptions } from "@kubewright/openwrt/testing";

export const networksAnnotation = "k8s.plugin.opnfv.org/nfn-network";
export const quirksAnnotation = "e2e.kubewright.dev/quirks";
const endpointAnnotation = "kubewright.dev/cnf-endpoint";

interface RunningCnf {
  simulator: CnfSimulator;
  readonly options: CnfSimulatorOptions;
}

/**
 * The containers of CNF pods: a container of the image is a simulator on the pod's address. A restarted container is a new, empty simulator
 * on the same port, so that only the pod's status shows the restart.
 */
export class SimulatedCnfs {
  readonly #running = new Map<ObjectKey, RunningCnf>();
  readonly #ports = new Map<string, number>();
  /** All simulators so far, because their requests are checked after their end. */
  readonly #simulators: CnfSimulator[] = [];

  get images(): ImageRegistry {
    return { "kubewright/cnf-simulator": (context) => this.#start(context) };
  }

  /** Returns the CNF in a pod; undefined while it does not run. */
  of(pod: ObjectKey): CnfSimulator | undefined {
    return this.#running.get(pod)?.simulator;
  }

  /** Returns the texts with a special meaning to a shell or a file of a real CNF. */
  get unsafeTexts(): readonly object[] {
    return this.#simulators.flatMap(({ requests }) => requests.unsafeTexts);
  }

  /** Disconnects the CNF in a pod from the network: it refuses connections, and the pod does not notice. */
  async unplug(pod: ObjectKey): Promise<void> {
    await this.#required(pod).simulator.stop();
  }

  /** Reconnects it, at the same address and empty. */
  async plugIn(pod: ObjectKey): Promise<void> {
    const running = this.#required(pod);
    running.simulator = await CnfSimulator.start({ ...running.options, port: running.simulator.port });
    this.#simulators.push(running.simulator);
  }

  async #start(context: ContainerContext): Promise<RunningContainer> {
    const { uid = "", annotations = {} } = context.pod.metadata;
    const options = {
      host: context.ip,
      password: (await context.readSecret("cnf-account"))?.get("password") ?? "",
      quirks: annotations[quirksAnnotation] === "true",
      interfaces: [{ name: "eth0", ip: context.ip }, ...attached(annotations[networksAnnotation])],
    };
    const simulator = await CnfSimulator.start({ ...options, port: this.#ports.get(uid) ?? 0 });
    this.#ports.set(uid, simulator.port);
    this.#simulators.push(simulator);
    const key = keyOf(context.pod);
    const running: RunningCnf = { simulator, options };
    this.#running.set(key, running);
    const { promise: exited, resolve } = Promise.withResolvers<number>();
    const stop = async (): Promise<void> => {
      if (this.#running.get(key) === running) this.#running.delete(key);
      await running.simulator.stop();
      resolve(0);
    };
    return { exited, stop, annotations: { [endpointAnnotation]: `http:${simulator.port}` } };
  }

  #required(pod: ObjectKey): RunningCnf {
    const running = this.#running.get(pod);
    if (!running) throw new Error(`no CNF runs in pod ${pod}`);
    return running;
  }
}

function attached(annotation = '{"interface":[]}'): { name: string; ip: string }[] {
  const { interface: networks } = JSON.parse(annotation) as { interface: { interface: string; ipAddress: string }[] };
  return networks.map(({ interface: name, ipAddress: ip }) => ({ name, ip }));
}
