import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";

type Container = DeepReadonly<Pod>["spec"]["containers"][number];

/**
 * Reports whether a container is restarted after ending with a code: the first of its own rules for the code decides, then its own policy,
 * then the pod's.
 *
 * @see kubernetes pkg/kubelet/container/helpers.go ShouldContainerBeRestarted
 */
export function restartsAfter(podPolicy: string, container: Container, exitCode: number): boolean {
  const isNamed = (container.restartPolicyRules ?? []).some(({ action, exitCodes }) => {
    const { operator, values = [] } = exitCodes ?? {};
    return action === "Restart" && exitCodes && values.includes(exitCode) === (operator === "In");
  });
  const policy = container.restartPolicy ?? podPolicy;
  return isNamed || policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}
