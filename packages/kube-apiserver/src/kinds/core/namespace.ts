import {
  type FieldError,
  fieldError,
  fieldPath,
  type KubeObject,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { ageColumn, nameColumn } from "@kubewright/apiserver/registry";
import { messages } from "../checks.ts";
import { column } from "../columns.ts";
import { defineStrategy } from "../define-strategy.ts";

interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: string; conditions?: unknown[] };
}

const nameLabel = "kubernetes.io/metadata.name";
const standardFinalizers = ["kubernetes", "orphan", "foregroundDeletion"];

function namespaceFinalizerErrors({ spec }: Namespace): FieldError[] {
  return (spec?.finalizers ?? []).flatMap((name) => {
    const path = fieldPath("spec", "finalizers");
    const errors = messages(name, validateQualifiedName(name), path);
    if (!name.includes("/") && !standardFinalizers.includes(name))
      errors.push(
        fieldError.invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified"),
      );
    return errors;
  });
}

/** Strategy for Namespaces. @see pkg/registry/core/namespace strategy.go */
export const namespaceStrategy = defineStrategy<Namespace>({
  nameRule: "label",
  returnDeletedObject: true,
  applyDefaults(namespace) {
    const { metadata } = namespace;
    namespace.status = { ...namespace.status, phase: namespace.status?.phase || "Active" };
    if (metadata.name) metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name };
  },
  prepareForCreate(namespace) {
    const { metadata } = namespace;
    // This label is not set with the defaults, because the name may be generated after the defaults are set.
    metadata.labels = { ...metadata.labels, [nameLabel]: metadata.name ?? "" };
    namespace.spec ??= {};
    const finalizers = namespace.spec.finalizers ?? [];
    namespace.spec.finalizers = finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"];
    namespace.status = { phase: "Active" };
  },
  prepareForUpdate(namespace, old) {
    if (old.spec === undefined) delete namespace.spec;
    else namespace.spec = structuredClone(old.spec) as NonNullable<Namespace["spec"]>;
  },
  prepareForDelete(namespace) {
    namespace.status = { ...namespace.status, phase: "Terminating" };
  },
  hasPendingFinalization: ({ spec }) => (spec?.finalizers ?? []).length > 0,
  validate: namespaceFinalizerErrors,
  validateStatusUpdate(namespace) {
    const path = fieldPath("status", "Phase");
    const phase = namespace.status?.phase ?? "";
    const isDeleting = namespace.metadata.deletionTimestamp !== undefined;
    if (!isDeleting && phase !== "Active")
      return [fieldError.invalid(path, phase, "may only be 'Active' if `deletionTimestamp` is empty")];
    if (isDeleting && phase !== "Terminating")
      return [fieldError.invalid(path, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")];
    return [];
  },
  columns: [nameColumn, column("Status", ({ status }) => status?.phase ?? ""), ageColumn],
  selectableFields: { "status.phase": ({ status }) => status?.phase ?? "" },
});
