import { controllerReference, type DeepReadonly, isControlledBy } from "@kubewright/apimachinery";
import type { RuleObject } from "../uci/cnf-kind.ts";
import type { Child, Composite } from "./composite-kind.ts";

type Stored = DeepReadonly<RuleObject>;
type Entries = Readonly<Record<string, unknown>>;

/** Whether an object's spec says what a child shall say. */
export const isAsWanted = (child: Child, { spec = {} }: Stored): boolean =>
  Object.keys(difference({ ...spec }, child.spec)).length === 0;

/** The child as it is to be created. */
export function newChild(composite: Composite, { name, spec }: Child) {
  const { namespace, labels } = composite.metadata;
  const ownerReferences = [ownerReference(composite)];
  return { metadata: { name, namespace, labels: { ...labels }, ownerReferences }, spec: withoutEmpty(spec) };
}

/** What to change of an object so that it is the child that is wanted; nothing if it is. */
export function childPatch(composite: Composite, child: Child, object: Stored) {
  const labels = difference(object.metadata.labels ?? {}, composite.metadata.labels ?? {});
  const spec = difference({ ...object.spec }, child.spec);
  const isOurs = isControlledBy(object, composite);
  if (isOurs && Object.keys(labels).length + Object.keys(spec).length === 0) return undefined;
  const ownerReferences = [...(object.metadata.ownerReferences ?? []), ownerReference(composite)];
  return { metadata: { labels, ...(isOurs ? {} : { ownerReferences }) }, spec };
}

/** The composite's own finalizer keeps it until its children are gone, so these need not. */
const ownerReference = (composite: Composite) => controllerReference(composite, { blockOwnerDeletion: false });

/** The fields to set, and `null` for those to remove; an empty text is none. */
function difference(current: Entries, wanted: Entries): Record<string, string | null> {
  const fields = [...new Set([...Object.keys(current), ...Object.keys(wanted)])];
  const changed = fields.filter((field) => (current[field] || undefined) !== (wanted[field] || undefined));
  return Object.fromEntries(changed.map((field) => [field, wanted[field] ? String(wanted[field]) : null]));
}

const withoutEmpty = (spec: Child["spec"]): Record<string, string> =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== ""));
