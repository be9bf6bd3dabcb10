import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { networksAnnotation } from "../api/group.ts";
import { attachedNetworks } from "../cnf/networks.ts";

/** So many interfaces are remembered; the oldest are forgotten. */
const mostKnown = 4_096;

/** Which interfaces pods have, whether their CNFs show them at the moment or not: the reference's shows only what is up. */
export class KnownInterfaces {
  readonly #shown = new Set<string>();

  /** The CNF in a pod showed it. */
  note(pod: DeepReadonly<Pod>, name: string): void {
    const id = idOf(pod, name);
    this.#shown.delete(id);
    this.#shown.add(id);
    const [oldest] = this.#shown;
    if (this.#shown.size > mostKnown && oldest !== undefined) this.#shown.delete(oldest);
  }

  /** Whether the CNF showed it once, or it is of a network that is attached to the pod. */
  has(pod: DeepReadonly<Pod>, name: string): boolean {
    return this.#shown.has(idOf(pod, name)) || isAttached(pod.metadata.annotations, name);
  }
}

function isAttached(annotations: Readonly<Record<string, string>> | undefined, name: string): boolean {
  if (annotations?.[networksAnnotation] === undefined) return false;
  try {
    return attachedNetworks(annotations).some((network) => network.interface === name);
  } catch {
    return false; // the rules that use the networks say what is wrong with the annotation
  }
}

const idOf = ({ metadata }: DeepReadonly<Pod>, name: string): string => `${metadata.uid} ${name}`;
