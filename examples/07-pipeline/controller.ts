import type { Kind, Manager, ObjectOf } from "kubewright";
import {
  asReconciler,
  controllerManagedBy,
  enqueueRequestsFromMapFunc,
  Finalizers,
  ignoreNotFound,
  keyOf,
  mutableCopy,
} from "kubewright";
import {
  Deployment,
  PersistentVolume,
  PersistentVolumeClaim,
  Service,
} from "kubewright/kinds";
import {
  claimOf,
  deploymentOf,
  labelsOf,
  pipelinesOf,
  serviceOf,
  volumeKey,
  volumeOf,
} from "./parts.ts";
import { Pipeline } from "./pipeline.ts";

const namespaced: readonly Kind[] = [
  PersistentVolumeClaim,
  Deployment,
  Service,
];

/**
 * Adds a controller that creates a volume and its claim for each Pipeline, and
 * a Deployment and a Service for each step.
 */
export function addPipelineController(manager: Manager): void {
  // The volume has no owner, so that the garbage collector never deletes its
  // data by mistake.
  const finalizers = new Finalizers<Pipeline>().register(
    "distri-infer.ndsl.cn/volume",
    async (pipeline) => {
      await manager.client
        .delete(PersistentVolume, volumeKey(pipeline))
        .catch(ignoreNotFound);
    },
  );
  const reconcile = asReconciler(
    Pipeline,
    async (pipeline, { client, signal }) => {
      const draft = mutableCopy(pipeline);
      const { updated } = await finalizers.finalize(draft, signal);
      if (updated) await client.update(Pipeline, draft);
      if (pipeline.metadata.deletionTimestamp) return;

      const { steps } = pipeline.spec;
      await client.apply(PersistentVolume, volumeOf(pipeline), { force: true });
      const claim = await client.apply(
        PersistentVolumeClaim,
        claimOf(pipeline),
        { force: true },
      );
      const deployments: ObjectOf<typeof Deployment>[] = [];
      for (const step of steps) {
        deployments.push(
          await client.apply(Deployment, deploymentOf(pipeline, step), {
            force: true,
          }),
        );
        await client.apply(Service, serviceOf(pipeline, step), { force: true });
      }
      const wanted = new Set([claim, ...deployments].map(keyOf));
      // Delete the objects of removed steps, and those in a former namespace.
      for (const kind of namespaced)
        for (const object of await client.list(kind, {
          labels: labelsOf(pipeline),
        }))
          if (!wanted.has(keyOf(object)))
            await client.delete(kind, keyOf(object)).catch(ignoreNotFound);
      const ready = deployments.filter(
        ({ spec, status }) =>
          (status?.readyReplicas ?? 0) >= (spec.replicas ?? 1),
      ).length;
      const phase =
        claim.status?.phase !== "Bound"
          ? "Pending"
          : ready < steps.length
            ? "Starting"
            : "Running";
      await client.status.patch(Pipeline, pipeline, {
        phase,
        ready: `${ready}/${steps.length}`,
      });
    },
  );
  const builder = controllerManagedBy(manager)
    .for(Pipeline)
    .watches(
      PersistentVolume,
      enqueueRequestsFromMapFunc(async (volume) => pipelinesOf(volume)),
    )
    .owns(PersistentVolumeClaim);
  builder.owns(Deployment).owns(Service).complete(reconcile);
}
