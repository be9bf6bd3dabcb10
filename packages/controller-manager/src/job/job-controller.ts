import { controllerOf, ignoreNotFound, isConflict, isObjectName, labelSelectorFrom } from "@kubewright/apimachinery";
import { Job, Pod } from "@kubewright/client/kinds";
import { objectMatches } from "@kubewright/controller";
import type { AddController } from "../parts/controller-parts.ts";
import { claim } from "../workload/claim.ts";
import { releasePod } from "./job-pods.ts";
import { isJobFinished, trackingFinalizer } from "./job-status.ts";
import { JobSync } from "./job-sync.ts";

/** Runs the pods of Jobs until enough have succeeded or too many have failed. @see kubernetes pkg/controller/job */
export const addJobController: AddController = ({ controller, clock }) => {
  controller("job-controller")
    .for(Job)
    .owns(Pod)
    .complete(async (key, context) => {
      const job = await context.client.get(Job, key).catch(ignoreNotFound);
      if (!job || isJobFinished(job)) return undefined;
      if (job.spec.managedBy !== undefined && job.spec.managedBy !== "kubernetes.io/job-controller") return undefined;
      const selector = labelSelectorFrom(job.spec.selector);
      const candidates = await context.client.list(Pod, { namespace: job.metadata.namespace });
      const pods = await claim(context.client, Pod, { kind: Job, object: job, selector }, candidates);
      try {
        return await new JobSync(job, pods, context, clock).run();
      } catch (error) {
        if (isConflict(error)) return { requeue: true }; // another writer has changed the job in the meantime
        return ignoreNotFound(error);
      }
    });
  controller("job-orphans")
    .for(Pod, {
      predicates: [objectMatches<Pod>(({ metadata }) => metadata.finalizers?.includes(trackingFinalizer) ?? false)],
    })
    .complete(async (key, { client }) => {
      const pod = await client.get(Pod, key).catch(ignoreNotFound);
      if (!pod?.metadata.finalizers?.includes(trackingFinalizer)) return;
      const owner = controllerOf(pod);
      if (owner && owner.kind !== "Job") return;
      const job =
        owner && isObjectName(owner.name)
          ? await client.get(Job, { namespace: pod.metadata.namespace, name: owner.name }).catch(ignoreNotFound)
          : undefined;
      const isOrphan = !job || job.metadata.uid !== owner?.uid || isJobFinished(job);
      if (isOrphan) await releasePod(client, pod);
    });
};
