import type { ManagedFieldsEntry } from "@kubewright/apimachinery";

/**
 * Returns a transform that removes entries from `metadata.managedFields`, in place. These entries often make up a third of an object and
 * are rarely read.
 *
 * @param ours manager whose entries are kept. Default: none.
 * @see controller-runtime pkg/cache TransformStripManagedFields
 */
export function stripManagedFields<O>(ours?: string): (object: O) => O {
  return (object) => {
    const { metadata } = object as { readonly metadata?: { managedFields?: ManagedFieldsEntry[] } };
    if (!metadata?.managedFields) return object;
    const kept = ours === undefined ? [] : metadata.managedFields.filter(({ manager }) => manager === ours);
    // As the last member on the wire, it can be deleted without turning the object into a dictionary.
    if (kept.length === 0) delete metadata.managedFields;
    else metadata.managedFields = kept;
    return object;
  };
}
