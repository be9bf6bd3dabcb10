import type { Unstructured } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import { Pod } from "@kubewright/client/kinds";

const maxPods = 10;

/**
 * Returns the reasons, as reported by containers, why pods are not ready, such as `shop-1: manager: ImagePullBackOff`.
 * If a container has run, adds the command that prints its log.
 */
export async function stuckPods(client: Client, deployment: Unstructured): Promise<string[]> {
  const { namespace } = deployment.metadata;
  const labels = matchLabelsOf(deployment.spec);
  if (!labels || !namespace) return [];
  const pods = await client.list(Pod, { namespace, labels, limit: maxPods });
  return pods.flatMap(({ metadata, status }) => {
    const states = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
    const problems = states.flatMap(({ name, state, lastState, ready }) => {
      const { waiting, terminated = lastState?.terminated } = state ?? {};
      if (ready) return [];
      const reason = waiting?.message ?? waiting?.reason;
      const ended =
        terminated &&
        `ended with exit code ${terminated.exitCode}${terminated.message ? `: ${terminated.message}` : ""}`;
      const why = [reason, ended].filter(Boolean).join(", ") || "is not ready";
      const logs = `kubectl logs -n ${namespace} ${metadata.name} -c ${name}`;
      // A container that never ran has no log.
      const where = terminated ? `: ${logs}${state?.running ? " --previous" : ""}` : state?.running ? `: ${logs}` : "";
      return [`${metadata.name}: ${name}: ${why}${where}`];
    });
    const pending = status?.conditions?.find(({ type, status: is }) => type === "PodScheduled" && is === "False");
    return pending ? [`${metadata.name}: ${pending.message ?? pending.reason ?? "is not scheduled"}`] : problems;
  });
}

function matchLabelsOf(spec: unknown): Readonly<Record<string, string>> | undefined {
  const { selector } = recordOf(spec);
  const entries = Object.entries(recordOf(recordOf(selector).matchLabels));
  const labels = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return labels.length > 0 ? Object.fromEntries(labels) : undefined;
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? { ...value } : {};
