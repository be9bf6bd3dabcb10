import { type DeepReadonly, ownMember } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import { expand } from "./process/expansion.ts";

type Container = DeepReadonly<Pod>["spec"]["containers"][number];

/** Thrown if the node cannot apply a container's configuration. */
export class ContainerConfigError extends Error {
  override readonly name = "ContainerConfigError";
}

/**
 * Checks that a container does not run as root if its security context or the pod's security context forbids this.
 *
 * @throws {ContainerConfigError} if the container would run as root
 *
 * @see kubernetes pkg/kubelet/kuberuntime verifyRunAsNonRoot
 */
export function checkNonRoot({ spec }: DeepReadonly<Pod>, { securityContext }: Container): void {
  const user = securityContext?.runAsUser ?? spec.securityContext?.runAsUser;
  const isRootRefused = securityContext?.runAsNonRoot ?? spec.securityContext?.runAsNonRoot;
  if (isRootRefused && user === 0) throw new ContainerConfigError("container's runAsUser breaks non-root policy");
}

/**
 * Checks the subpaths of a container's volume mounts. In the subpaths, expands only environment variables whose values
 * are given literally in the pod.
 *
 * @throws {ContainerConfigError} if a variable does not exist or a subpath points outside its volume
 *
 * @see kubernetes pkg/kubelet/kubelet_pods.go makeMounts
 */
export function checkSubPaths(pod: DeepReadonly<Pod>, container: Container): void {
  const env = literalEnv(pod, container);
  const declared = new Set(container.env?.map(({ name }) => name));
  for (const { subPathExpr } of container.volumeMounts ?? []) {
    if (!subPathExpr) continue;
    const missing = new Set<string>();
    const path = expand(subPathExpr, env, (name) => missing.add(name));
    const [unknown] = container.envFrom ? [] : [...missing].filter((name) => !declared.has(name));
    if (unknown !== undefined) throw new ContainerConfigError(`missing value for "${unknown}"`);
    if (missing.size > 0) continue;
    if (path.startsWith("/")) throw new ContainerConfigError(`error SubPath \`${path}\` must not be an absolute path`);
    if (path.split("/").includes(".."))
      throw new ContainerConfigError(`unable to provision SubPath \`${path}\`: must not contain '..'`);
  }
}

/** Returns the environment variables of a container whose values are given literally in the pod. */
function literalEnv(pod: DeepReadonly<Pod>, container: Container): ReadonlyMap<string, string> {
  return new Map(
    (container.env ?? []).flatMap(({ name, value, valueFrom }) => {
      const text = value ?? fieldOf(pod, valueFrom?.fieldRef?.fieldPath ?? "");
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}

function fieldOf({ metadata, spec }: DeepReadonly<Pod>, path: string): string | undefined {
  const keyed = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(path);
  if (keyed) return ownMember(metadata[keyed[1] === "labels" ? "labels" : "annotations"], keyed[2] ?? "") ?? "";
  switch (path) {
    case "metadata.name":
      return metadata.name;
    case "metadata.namespace":
      return metadata.namespace;
    case "metadata.uid":
      return metadata.uid;
    case "spec.nodeName":
      return spec.nodeName;
    default:
      return undefined;
  }
}
