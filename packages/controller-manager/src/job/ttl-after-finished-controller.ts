import { ignoreNotFound, keyOf } from "@kubewright/apimachinery";
import { Job } from "@kubewright/client/kinds";
import { asReconciler } from "@kubewright/controller";
import type { AddController } from "../parts/controller-parts.ts";
import { isJobFinished } from "./job-status.ts";

/** Deletes finished Jobs when their TTL has passed. @see kubernetes pkg/controller/ttlafterfinished */
export const addTtlAfterFinishedController: AddController = ({ controller, clock }) => {
  controller("ttl-after-finished-controller")
    .for(Job)
    .complete(
      asReconciler(Job, async (job, { client }) => {
        const ttl = job.spec.ttlSecondsAfterFinished;
        if (ttl === undefined || job.metadata.deletionTimestamp !== undefined || !isJobFinished(job)) return undefined;
        const finished = job.status?.conditions?.find(
          ({ type, status }) => status === "True" && (type === "Complete" || type === "Failed"),
        );
        const left = Date.parse(finished?.lastTransitionTime ?? "") + ttl * 1_000 - clock.now();
        if (left > 0) return { requeueAfterMs: left };
        const preconditions = { uid: job.metadata.uid, resourceVersion: job.metadata.resourceVersion };
        await client.delete(Job, keyOf(job), { propagationPolicy: "Foreground", preconditions }).catch(ignoreNotFound);
        return undefined;
      }),
    );
};
