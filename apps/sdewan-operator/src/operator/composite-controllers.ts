import { controllerManagedBy } from "@kubewright/builder";
import { annotationChanged, generationChanged, labelChanged, or } from "@kubewright/controller";
import type { Manager } from "@kubewright/manager";
import { compositeKinds } from "../composites/composite-kinds.ts";
import { CompositeReconciler, type CompositeReconcilerOptions } from "../composites/composite-reconciler.ts";

/** So many composites of a kind are worked on at a time: they may wait for a resolver. */
const workers = 32;

/** Children copy all labels, and an annotation pauses it; what the finalizer and the status get is our own. */
const compositeMatters = or(generationChanged, labelChanged, annotationChanged);

/** Adds a controller for each composite kind. */
export function addCompositeControllers(manager: Manager, options: Omit<CompositeReconcilerOptions, "kind">): void {
  for (const kind of compositeKinds) {
    const builder = controllerManagedBy(manager).for(kind.kind, { predicates: [compositeMatters] });
    for (const owned of kind.owns) builder.owns(owned);
    builder
      .withOptions({ maxConcurrentReconciles: workers })
      .complete(new CompositeReconciler({ ...options, kind }).reconcile);
  }
}
