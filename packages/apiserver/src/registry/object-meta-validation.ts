import {
  type FieldError,
  type FieldPath,
  fieldError,
  fieldPath,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isPathSegmentName,
  type ObjectMeta,
  type OwnerReference,
  quote,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import type { ReadonlyObject, ServedResource } from "./resource.ts";
import type { NameRule } from "./strategy.ts";

const nameRules: Readonly<Record<NameRule, (name: string) => readonly string[]>> = {
  subdomain: isDns1123Subdomain,
  label: isDns1123Label,
  dns1035Label: isDns1035Label,
  pathSegment: isPathSegmentName,
};

const totalAnnotationBytes = 256 * 1024;
const standardFinalizers = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly nameRule: NameRule;
  /** Finalizers must be standard ones or name their domain, as in all groups of Kubernetes itself. */
  readonly qualifiedFinalizers: boolean;
}

/** What the metadata of a resource's objects is checked by. */
export const metaRulesOf = ({ scope, strategy, origin, group }: ServedResource): ObjectMetaRules => ({
  namespaced: scope === "Namespaced",
  nameRule: strategy.nameRule ?? "subdomain",
  qualifiedFinalizers: origin === "builtin" && group !== "apiextensions.k8s.io" && group !== "apiregistration.k8s.io",
});

/** What is wrong with an object's metadata. @see apimachinery api/validation ValidateObjectMeta */
export function validateObjectMeta(meta: Readonly<ObjectMeta>, options: ObjectMetaRules): FieldError[] {
  const at = fieldPath("metadata");
  return [
    ...generateNameErrors(meta, options.nameRule, at),
    ...nameErrors(meta, options.nameRule, at),
    ...namespaceErrors(meta, options.namespaced, at),
    ...labelErrors(meta.labels ?? {}, at.child("labels")),
    ...annotationErrors(meta.annotations ?? {}, at.child("annotations")),
    ...ownerErrors(meta.ownerReferences ?? [], at.child("ownerReferences")),
    ...finalizerErrors(meta.finalizers ?? [], options.qualifiedFinalizers, at.child("finalizers")),
  ];
}

/** What an update may not change in metadata. @see apimachinery api/validation ValidateObjectMetaUpdate */
export function validateObjectMetaUpdate(
  next: ReadonlyObject["metadata"],
  old: ReadonlyObject["metadata"],
): FieldError[] {
  const at = fieldPath("metadata");
  const immutable = (name: (typeof lasting)[number]): FieldError[] =>
    (next[name] ?? "") === (old[name] ?? "")
      ? []
      : [fieldError.invalid(at.child(name), next[name] ?? "", "field is immutable")];
  const added = old.deletionTimestamp ? (next.finalizers ?? []).filter((name) => !old.finalizers?.includes(name)) : [];
  return [
    ...lasting.flatMap(immutable),
    ...(added.length > 0
      ? [
          fieldError.forbidden(
            at.child("finalizers"),
            `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((name) => JSON.stringify(name)).join(", ")}}`,
          ),
        ]
      : []),
    ...labelErrors(next.labels ?? {}, at.child("labels")),
    ...annotationErrors(next.annotations ?? {}, at.child("annotations")),
    ...ownerErrors((next.ownerReferences ?? []) as readonly OwnerReference[], at.child("ownerReferences")),
  ];
}

const lasting = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

function generateNameErrors(meta: Readonly<ObjectMeta>, rule: NameRule, at: FieldPath): FieldError[] {
  if (!meta.generateName) return [];
  const masked = meta.generateName.replace(/-$/, "a");
  return nameRules[rule](masked).map((text) => fieldError.invalid(at.child("generateName"), meta.generateName, text));
}

function nameErrors(meta: Readonly<ObjectMeta>, rule: NameRule, at: FieldPath): FieldError[] {
  if (!meta.name) return [fieldError.required(at.child("name"), "name or generateName is required")];
  return nameRules[rule](meta.name).map((text) => fieldError.invalid(at.child("name"), meta.name, text));
}

function namespaceErrors(meta: Readonly<ObjectMeta>, namespaced: boolean, at: FieldPath): FieldError[] {
  if (!namespaced)
    return meta.namespace ? [fieldError.forbidden(at.child("namespace"), "not allowed on this type")] : [];
  if (!meta.namespace) return [fieldError.required(at.child("namespace"))];
  return isDns1123Label(meta.namespace).map((text) => fieldError.invalid(at.child("namespace"), meta.namespace, text));
}

function labelErrors(labels: Readonly<Record<string, string>>, at: FieldPath): FieldError[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...validateQualifiedName(key).map((text) => fieldError.invalid(at, key, text)),
    ...isLabelValue(value).map((text) => fieldError.invalid(at, value, text)),
  ]);
}

function annotationErrors(annotations: Readonly<Record<string, string>>, at: FieldPath): FieldError[] {
  let bytes = 0;
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(annotations)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
    errors.push(...validateQualifiedName(key.toLowerCase()).map((text) => fieldError.invalid(at, key, text)));
  }
  if (bytes > totalAnnotationBytes) errors.push(fieldError.tooLong(at, totalAnnotationBytes));
  return errors;
}

function ownerErrors(owners: readonly OwnerReference[], at: FieldPath): FieldError[] {
  let controller: OwnerReference | undefined;
  return owners.flatMap((owner) => {
    const errors = (["apiVersion", "kind", "name", "uid"] as const)
      .filter((name) => !owner[name])
      .map((name) =>
        fieldError.invalid(
          at.child(name),
          owner[name] ?? "",
          name === "apiVersion" ? "version must not be empty" : "must not be empty",
        ),
      );
    if (owner.kind === "Event" && /^(v1|events\.k8s\.io\/)/.test(owner.apiVersion))
      errors.push(
        fieldError.invalid(
          at,
          owner,
          `${owner.apiVersion.includes("/") ? "" : "/"}${owner.apiVersion}, Kind=Event is disallowed from being an owner`,
        ),
      );
    if (owner.controller) {
      if (controller)
        errors.push(
          fieldError.invalid(
            at,
            owners,
            `Only one reference can have Controller set to true. Found "true" in references for ${controller.kind}/${controller.name} and ${owner.kind}/${owner.name}`,
          ),
        );
      controller = owner;
    }
    return errors;
  });
}

/** Warnings about finalizers that another writer might use by accident. */
export function finalizerWarnings(
  resource: ServedResource,
  next: Readonly<ObjectMeta>,
  old?: ReadonlyObject["metadata"],
): string[] {
  if (resource.origin !== "custom") return [];
  return (next.finalizers ?? [])
    .filter((name) => !name.includes("/") && !standardFinalizers.has(name) && !old?.finalizers?.includes(name))
    .map(
      (name) =>
        `metadata.finalizers: ${quote(name)}: prefer a domain-qualified finalizer name ${name.includes(".") ? "including a path (/) " : ""}to avoid accidental conflicts with other finalizer writers`,
    );
}

function finalizerErrors(finalizers: readonly string[], qualified: boolean, at: FieldPath): FieldError[] {
  const errors = finalizers.flatMap((name, index) => {
    const found = validateQualifiedName(name).map((text) => fieldError.invalid(at, name, text));
    if (qualified && found.length === 0 && !name.includes("/") && !standardFinalizers.has(name))
      found.push(
        fieldError.invalid(
          at.index(index),
          name,
          "name is neither a standard finalizer name nor is it fully qualified",
        ),
      );
    return found;
  });
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion"))
    errors.push(fieldError.invalid(at, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  return errors;
}
