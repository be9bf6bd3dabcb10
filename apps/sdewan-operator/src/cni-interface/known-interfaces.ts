import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { networksAnnotation } from "../api/group.ts";
import { attachedNetworks } from "../cnf/networks.ts";

/** Maximum number of interfaces to remember. The oldest are dropped. */
const maxKnown = 4_096;

/**
 * The interfaces of pods, including those that their CNFs do not currently list. The reference CNF, for example, lists
 * only interfaces that are up.
 */
export class KnownInterfaces {
  readonly #shown = new Set<string>();

  /** Records that the CNF in a pod listed the interface. */
  note(pod: DeepReadonly<Pod>, name: string): void {
    const id = idOf(pod, name);
    this.#shown.delete(id);
    this.#shown.add(id);
    const [oldest] = this.#shown;
    if (this.#shown.size > maxKnown && oldest !== undefined) this.#shown.delete(oldest);
  }

  /** Reports whether the CNF has ever listed the interface, or whether a network attached to the pod uses it. */
  has(pod: DeepReadonly<Pod>, name: string): boolean {
    return this.#shown.has(idOf(pod, name)) || isAttached(pod.metadata.annotations, name);
  }
}

function isAttached(annotations: Readonly<Record<string, string>> | undefined, name: string): boolean {
  if (annotations?.[networksAnnotation] === undefined) return false;
  try {
    return attachedNetworks(annotations).some((network) => network.interface === name);
  } catch {
    return false; // the rules that use the networks report the invalid annotation
  }
}

const idOf = ({ metadata }: DeepReadonly<Pod>, name: string): string => `${metadata.uid} ${name}`;
