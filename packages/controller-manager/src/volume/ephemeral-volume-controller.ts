import { type DeepReadonly, ignoreAlreadyExists, ignoreNotFound, isControlledBy } from "@kubewright/apimachinery";
import { PersistentVolumeClaim, Pod } from "@kubewright/client/kinds";
import { asReconciler, type ReconcileContext } from "@kubewright/controller";
import type { AddController } from "../parts/controller-parts.ts";
import { isNamespaceTerminating } from "../workload/ignore-gone.ts";
import { controllerReference } from "../workload/pod-from-template.ts";

/** Creates the claims for pods' ephemeral volumes. @see kubernetes pkg/controller/volume/ephemeral */
export const addEphemeralVolumeController: AddController = ({ controller }) => {
  controller("ephemeral-volume-controller")
    .for(Pod, { predicates: [({ object }) => (object.spec.volumes ?? []).some(({ ephemeral }) => ephemeral)] })
    .complete(asReconciler(Pod, makeClaims));
};

async function makeClaims(pod: DeepReadonly<Pod>, { client, recorder }: ReconcileContext): Promise<void> {
  const { namespace = "", name: podName, deletionTimestamp } = pod.metadata;
  if (deletionTimestamp !== undefined) return;
  for (const { name: volume, ephemeral } of pod.spec.volumes ?? []) {
    const template = ephemeral?.volumeClaimTemplate;
    if (!template) continue;
    const name = `${podName}-${volume}`;
    const present = await client.get(PersistentVolumeClaim, { namespace, name }).catch(ignoreNotFound);
    if (present && !isControlledBy(present, pod)) {
      const note = `ephemeral volume ${volume}: PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`;
      recorder.event(pod, { type: "Warning", reason: "FailedBinding", note });
    }
    if (present) continue;
    const { labels, annotations } = template.metadata ?? {};
    const metadata = {
      name,
      namespace,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ownerReferences: [controllerReference(Pod, pod)],
    };
    await client
      .create(PersistentVolumeClaim, { metadata, spec: template.spec })
      .catch((error: unknown) => (isNamespaceTerminating(error) ? undefined : ignoreAlreadyExists(error)));
  }
}
