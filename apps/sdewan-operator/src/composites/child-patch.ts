import { controllerReference, type DeepReadonly, isControlledBy, type KubeObject } from "@kubewright/apimachinery";
import { orderAnnotation } from "../api/group.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";
import type { Child, Composite } from "./composite-kind.ts";

type Stored = DeepReadonly<RuleObject>;
type Entries = Readonly<Record<string, unknown>>;

/** Reports whether an object has the spec of the desired child. */
export const matchesChild = (child: Child, { spec = {} }: Stored): boolean =>
  Object.keys(difference({ ...spec }, child.spec)).length === 0;

/** Returns the child to create. */
export function newChild(composite: Composite, { name, spec }: Child) {
  const { namespace, labels } = composite.metadata;
  const order = orderIn(composite);
  const annotations = Object.keys(order).length > 0 ? { annotations: order } : {};
  const ownerReferences = [ownerReference(composite)];
  return {
    metadata: { name, namespace, labels: { ...labels }, ...annotations, ownerReferences },
    spec: withoutEmpty(spec),
  };
}

/** Returns the patch that turns an object into the desired child, or undefined if no change is needed. */
export function childPatch(composite: Composite, child: Child, object: Stored) {
  const labels = difference(object.metadata.labels ?? {}, composite.metadata.labels ?? {});
  const spec = difference({ ...object.spec }, child.spec);
  const annotations = difference(orderIn(object), orderIn(composite));
  const isOurs = isControlledBy(object, composite);
  if (isOurs && [labels, annotations, spec].every((each) => Object.keys(each).length === 0)) return undefined;
  const ownerReferences = [...(object.metadata.ownerReferences ?? []), ownerReference(composite)];
  return { metadata: { labels, annotations, ...(isOurs ? {} : { ownerReferences }) }, spec };
}

/** Returns the annotation that the children of a composite have in common with it: the order. */
function orderIn({ metadata: { annotations } }: DeepReadonly<KubeObject>): Record<string, string> {
  const order = annotations?.[orderAnnotation];
  return order === undefined ? {} : { [orderAnnotation]: order };
}

/**
 * Returns the owner reference for a child. `blockOwnerDeletion` is not needed, because the composite's own finalizer keeps it until its
 * children are deleted.
 */
const ownerReference = (composite: Composite) => controllerReference(composite, { blockOwnerDeletion: false });

/** Returns the fields to set, with the value `null` for fields to remove. An empty string counts as absent. */
function difference(current: Entries, desired: Entries): Record<string, string | null> {
  const fields = [...new Set([...Object.keys(current), ...Object.keys(desired)])];
  const changed = fields.filter((field) => (current[field] || undefined) !== (desired[field] || undefined));
  return Object.fromEntries(changed.map((field) => [field, desired[field] ? String(desired[field]) : null]));
}

const withoutEmpty = (spec: Child["spec"]): Record<string, string> =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== ""));
