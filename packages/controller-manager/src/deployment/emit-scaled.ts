import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Deployment } from "@kubewright/client/kinds";
import type { ReconcileContext } from "@kubewright/controller";

/** Emits an event that reports that a deployment has scaled one of its replica sets. */
export function emitScaled(
  recorder: ReconcileContext["recorder"],
  deployment: DeepReadonly<Deployment>,
  name: string,
  from: number,
  to: number,
): void {
  const note = `Scaled ${to > from ? "up" : "down"} replica set ${name} from ${from} to ${to}`;
  recorder.event(deployment, { reason: "ScalingReplicaSet", note });
}
