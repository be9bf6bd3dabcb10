import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";

type Container = DeepReadonly<Pod>["spec"]["containers"][number];

/**
 * Reports whether a container is restarted after it has exited with the given code. The first of the container's
 * restart rules that matches the code applies, otherwise the container's restart policy or, if it has none, the pod's.
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
