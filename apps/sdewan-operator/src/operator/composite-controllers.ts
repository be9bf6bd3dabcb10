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

/** So many composites of a kind are worked on at a time: they may wait for a resolver. */
const workers = 32;

/** Children copy all labels, and an annotation pauses it; a finalizer that is added and what the status gets are our own. */
const compositeMatters = or(generationChanged, labelChanged, annotationChanged, losesFinalizer);

/** Returns, for each composite kind, what adds its controller. */
export const compositeControllers = (
  manager: Manager,
  definitions: Definitions,
  options: Omit<CompositeReconcilerOptions, "kind">,
): Starters =>
  new Map(
    compositeKinds.map((kind) => [kind.kind, () => addCompositeController(manager, definitions, { ...options, kind })]),
  );

/** Children of a kind that is missing are watched as soon as it is served: a composite is mostly about other things. */
function addCompositeController(
  manager: Manager,
  definitions: Definitions,
  options: CompositeReconcilerOptions,
): Promise<void> {
  const { kind, owns } = options.kind;
  const builder = controllerManagedBy(manager).for(kind, { predicates: [compositeMatters] });
  const later = owns.filter((owned) => definitions.hasAnswered && !definitions.isServed(owned));
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
