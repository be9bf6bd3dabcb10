import { apiVersionOf, type DeepReadonly, type Kind, type KubeObject, type NewObject } from "@kubewright/apimachinery";
import type { Pod, PodTemplateSpec } from "@kubewright/client/kinds";

/** Returns an owner reference that makes this object the controller of another one. */
export function controllerReference(kind: Kind, { metadata }: DeepReadonly<KubeObject>) {
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name: metadata.name,
    uid: metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}

/**
 * Returns a new pod, created from a template and owned by its controller.
 *
 * @see kubernetes pkg/controller/controller_utils.go GetPodFromTemplate
 */
export function podFromTemplate(
  kind: Kind,
  owner: DeepReadonly<KubeObject>,
  template: DeepReadonly<PodTemplateSpec> | undefined,
): DeepReadonly<NewObject<Pod>> & { readonly spec: DeepReadonly<Pod["spec"]> } {
  const { namespace, name } = owner.metadata;
  return {
    metadata: {
      generateName: `${name}-`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...template?.metadata?.labels },
      annotations: { ...template?.metadata?.annotations },
      finalizers: [...(template?.metadata?.finalizers ?? [])],
      ownerReferences: [controllerReference(kind, owner)],
    },
    spec: { containers: [], ...template?.spec },
  };
}
