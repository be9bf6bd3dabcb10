import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";

/**
 * A container's liveness, readiness or startup probe, as specified in the pod.
 *
 * @see kubernetes core/v1 Probe
 */
export type Probe = NonNullable<DeepReadonly<Pod>["spec"]["containers"][number]["livenessProbe"]>;

/** Result of running a probe once. */
export interface ProbeResult {
  readonly isGood: boolean;
  /** Reason for a failure, or a warning if the probe succeeded. Default: none. */
  readonly message?: string | undefined;
}
