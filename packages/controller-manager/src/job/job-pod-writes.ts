import { type DeepReadonly, keyOf, type NewObject } from "@kubewright/apimachinery";
import { type Job, Pod } from "@kubewright/client/kinds";
import type { ReconcileContext } from "@kubewright/controller";
import { ignoreGone, isNamespaceTerminating } from "../workload/ignore-gone.ts";

/** Maximum number of pods created per sync. */
export const maxAtOnce = 500;

/** Creates a pod for a job and emits an event about it. */
export async function createPod(
  job: DeepReadonly<Job>,
  pod: DeepReadonly<NewObject<Pod>>,
  { client, recorder }: ReconcileContext,
): Promise<void> {
  try {
    const created = await client.create(Pod, pod);
    recorder.event(job, { reason: "SuccessfulCreate", note: `Created pod: ${created.metadata.name}` });
  } catch (error) {
    if (isNamespaceTerminating(error)) return;
    const note = `Error creating: ${error instanceof Error ? error.message : error}`;
    recorder.event(job, { type: "Warning", reason: "FailedCreate", note });
    throw error;
  }
}

/** Deletes pods of a job and emits an event about each of them. */
export async function deletePods(
  job: DeepReadonly<Job>,
  pods: readonly DeepReadonly<Pod>[],
  { client, recorder }: ReconcileContext,
): Promise<void> {
  const remove = async (pod: DeepReadonly<Pod>): Promise<void> => {
    await client.delete(Pod, keyOf(pod), { preconditions: { uid: pod.metadata.uid } }).catch(ignoreGone);
    recorder.event(job, { reason: "SuccessfulDelete", note: `Deleted pod: ${pod.metadata.name}` });
  };
  await Promise.all(pods.map(remove));
}
