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

/** Number of composites of one kind that are reconciled at the same time. They may wait for a resolver. */
const workers = 32;

/**
 * Accepts changes that affect a composite: to its spec, to its labels (which its children copy), to its annotations (one of which pauses
 * it), and the removal of a finalizer. Added finalizers and status updates come from the operator itself, and are rejected.
 */
const compositeMatters = or(generationChanged, labelChanged, annotationChanged, losesFinalizer);

/** Returns a function for each composite kind that adds the kind's controller. */
export const compositeControllers = (
  manager: Manager,
  definitions: Definitions,
  options: Omit<CompositeReconcilerOptions, "kind">,
): Starters =>
  new Map(
    compositeKinds.map((kind) => [kind.kind, () => addCompositeController(manager, definitions, { ...options, kind })]),
  );

/**
 * Adds the controller of a composite kind. If the kind of its children is missing, the composite is reconciled nevertheless, and the
 * children are watched as soon as their kind is served.
 */
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
