import { controllerManagedBy } from "@kubewright/builder";
import {
  annotationChanged,
  enqueueRequestForOwner,
  generationChanged,
  kindSource,
  labelChanged,
  or,
} from "@kubewright/controller";
import type { Manager } from "@kubewright/manager";
import { compositeKinds } from "../composites/composite-kinds.ts";
import { CompositeReconciler, type CompositeReconcilerOptions } from "../composites/composite-reconciler.ts";
import { losesFinalizer } from "../rules/triggers.ts";
import type { Definitions } from "./definitions.ts";
import type { Starters } from "./readiness.ts";

/** Number of composites of a kind reconciled at a time. They may wait for a resolver. */
const workers = 32;

/** Children copy all labels, and an annotation pauses the composite. Added finalizers and status updates come from the operator itself. */
const compositeMatters = or(generationChanged, labelChanged, annotationChanged, losesFinalizer);

/** Returns, for each composite kind, a function that adds its controller. */
export const compositeControllers = (
  manager: Manager,
  definitions: Definitions,
  options: Omit<CompositeReconcilerOptions, "kind">,
): Starters =>
  new Map(
    compositeKinds.map((kind) => [kind.kind, () => addCompositeController(manager, definitions, { ...options, kind })]),
  );

/** Children of a missing kind are watched as soon as it is served. The composite is reconciled even without it. */
function addCompositeController(
  manager: Manager,
  definitions: Definitions,
  options: CompositeReconcilerOptions,
): Promise<void> {
  const { kind, owns } = options.kind;
  const builder = controllerManagedBy(manager).for(kind, { predicates: [compositeMatters] });
  const later = owns.filter((owned) => definitions.hasResponse && !definitions.isServed(owned));
  for (const owned of owns) if (!later.includes(owned)) builder.owns(owned);
  const controller = builder
    .withOptions({ maxConcurrentReconciles: workers })
    .complete(new CompositeReconciler(options).reconcile);
  const handler = enqueueRequestForOwner(kind, { onlyController: true });
  const watch = async (owned: (typeof owns)[number]): Promise<void> => {
    await definitions.served(owned);
    await controller.watch(kindSource(manager.cache, owned, { handler }));
  };
  return Promise.all(later.map(watch)).then(() => {});
}
