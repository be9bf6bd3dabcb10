import { ignoreNotFound, isConflict, labelSelectorFrom } from "@kubewright/apimachinery";
import { Pod, StatefulSet } from "@kubewright/client/kinds";
import type { AddController } from "../parts/controller-parts.ts";
import { claim } from "../workload/claim.ts";
import { dropOldRevisions, hashOf, syncRevisions } from "../workload/controller-revisions.ts";
import { StatefulSync } from "./stateful-sync.ts";

const hashLabel = "controller.kubernetes.io/hash";

/**
 * Runs the pods of StatefulSets. The pods have stable names and, by default, are started one after another.
 *
 * @see kubernetes pkg/controller/statefulset
 */
export const addStatefulSetController: AddController = ({ controller, clock }) => {
  controller("statefulset-controller")
    .for(StatefulSet)
    .owns(Pod)
    .complete(async (key, context) => {
      const { client } = context;
      const set = await client.get(StatefulSet, key).catch(ignoreNotFound);
      if (!set || set.metadata.deletionTimestamp !== undefined) return undefined;
      const selector = labelSelectorFrom(set.spec.selector);
      const candidates = await client.list(Pod, { namespace: set.metadata.namespace });
      const pods = await claim(client, Pod, { kind: StatefulSet, object: set, selector }, candidates);
      try {
        const revisions = await syncRevisions(client, StatefulSet, set, selector, set.spec.template, hashLabel);
        const result = await new StatefulSync(set, pods, revisions, context, clock).run();
        const inUse = new Set([...pods.map(({ metadata }) => hashOf(metadata)), set.status?.currentRevision ?? ""]);
        await dropOldRevisions(client, revisions, inUse, set.spec.revisionHistoryLimit ?? 10);
        return result;
      } catch (error) {
        if (isConflict(error)) return { requeue: true };
        throw error;
      }
    });
};
