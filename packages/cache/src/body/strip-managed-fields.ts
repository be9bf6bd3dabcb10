import type { ManagedFieldsEntry } from "@kubewright/apimachinery";

/**
 * A transform that drops what other managers own from `metadata.managedFields`: often a third of an object, read by hardly
 * anybody. The entries of `ours` stay, as does everything else.
 */
export function stripManagedFields<O>(ours?: string): (object: O) => O {
  return (object) => {
    const { metadata } = object as { readonly metadata?: { managedFields?: ManagedFieldsEntry[] } };
    if (!metadata?.managedFields) return object;
    const kept = ours === undefined ? [] : metadata.managedFields.filter(({ manager }) => manager === ours);
    // Last on the wire, so this delete does not turn the object into a dictionary.
    if (kept.length === 0) delete metadata.managedFields;
    else metadata.managedFields = kept;
    return object;
  };
}
