import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";

type Container = DeepReadonly<Pod>["spec"]["containers"][number];

/**
 * Reports whether a container is restarted after it exits with a code. The container's first restart rule that matches the code decides.
 * If no rule matches, the container's restart policy applies. If the container has no restart policy, the pod's applies.
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
