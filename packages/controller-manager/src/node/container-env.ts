import type { DeepReadonly } from "@kubewright/apimachinery";
import { ownMember } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";

type Container = DeepReadonly<Pod>["spec"]["containers"][number];

/** Returns those environment variables of a container whose values are given literally in the pod. */
export function containerEnv(pod: DeepReadonly<Pod>, container: Container): ReadonlyMap<string, string> {
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
