import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";

/**
 * A liveness, readiness or startup probe of a container, as in the pod.
 *
 * @see kubernetes core/v1 Probe
 */
export type Probe = NonNullable<DeepReadonly<Pod>["spec"]["containers"][number]["livenessProbe"]>;

/** Result of a probe. */
export interface ProbeAnswer {
  readonly isGood: boolean;
  /** Reason for a failure, or a warning. Default: none. */
  readonly message?: string;
}
