import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";

/**
 * A liveness, readiness or startup probe of a container, as the pod has it.
 *
 * @see kubernetes core/v1 Probe
 */
export type Probe = NonNullable<DeepReadonly<Pod>["spec"]["containers"][number]["livenessProbe"]>;

/** What came of asking a container. */
export interface ProbeAnswer {
  readonly isGood: boolean;
  /** Why it is not, or what is strange. Default: nothing is. */
  readonly message?: string;
}
