import type { ManagedFieldsEntry } from "@kubewright/apimachinery";

/**
 * A transform that removes entries from `metadata.managedFields`, in place: they are often a third of an object and hardly ever
 * read.
 *
 * @param ours the manager whose entries stay. Default: none stay.
 * @see controller-runtime pkg/cache TransformStripManagedFields
 */
export function stripManagedFields<O>(ours?: string): (object: O) => O {
  return (object) => {
    const { metadata } = object as { readonly metadata?: { managedFields?: ManagedFieldsEntry[] } };
    if (!metadata?.managedFields) return object;
    const kept = ours === undefined ? [] : metadata.managedFields.filter(({ manager }) => manager === ours);
    // Being last on the wire, it can be deleted without turning the object into a dictionary.
    if (kept.length === 0) delete metadata.managedFields;
    else metadata.managedFields = kept;
    return object;
  };
}
