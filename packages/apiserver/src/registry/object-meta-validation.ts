import { isIP } from "node:net";
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
  address: (name) => (isIP(name) > 0 ? [] : ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]),
};

const totalAnnotationBytes = 256 * 1024;
const standardFinalizers = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

export interface ObjectMetaRules {
  readonly namespaced: boolean;
  readonly nameRule: NameRule;
  /** True if each finalizer must be a standard one or contain a domain. This is the case in all groups of Kubernetes itself. */
  readonly qualifiedFinalizers: boolean;
}

/** Returns the rules for validating the metadata of a resource's objects. */
export const metaRulesOf = ({ scope, strategy, origin, group }: ServedResource): ObjectMetaRules => ({
  namespaced: scope === "Namespaced",
  nameRule: strategy.nameRule ?? "subdomain",
  qualifiedFinalizers: origin === "builtin" && group !== "apiextensions.k8s.io" && group !== "apiregistration.k8s.io",
});

const at = fieldPath("metadata");
const paths = {
  labels: at.child("labels"),
  annotations: at.child("annotations"),
  owners: at.child("ownerReferences"),
  finalizers: at.child("finalizers"),
} as const;

/** Validates an object's metadata, and returns the errors. @see apimachinery api/validation ValidateObjectMeta */
export function validateObjectMeta(meta: Readonly<ObjectMeta>, options: ObjectMetaRules): FieldError[] {
  const errors: FieldError[] = [];
  if (meta.generateName) addGenerateNameErrors(errors, meta.generateName, options.nameRule);
  addNameErrors(errors, meta.name, options.nameRule);
  addNamespaceErrors(errors, meta.namespace, options.namespaced);
  addDescriptiveErrors(errors, meta);
  return meta.finalizers
    ? [...errors, ...finalizerErrors(meta.finalizers, options.qualifiedFinalizers, paths.finalizers)]
    : errors;
}

/**
 * Validates an update to an object's metadata, and returns the errors.
 *
 * @see apimachinery api/validation ValidateObjectMetaUpdate
 */
export function validateObjectMetaUpdate(
  next: ReadonlyObject["metadata"],
  old: ReadonlyObject["metadata"],
): FieldError[] {
  const errors: FieldError[] = [];
  for (const name of lasting)
    if ((next[name] ?? "") !== (old[name] ?? ""))
      errors.push(fieldError.invalid(at.child(name), next[name] ?? "", "field is immutable"));
  const added = old.deletionTimestamp ? addedTo(next.finalizers, old.finalizers) : [];
  if (added.length > 0)
    errors.push(
      fieldError.forbidden(
        paths.finalizers,
        `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map(quote).join(", ")}}`,
      ),
    );
  addDescriptiveErrors(errors, next);
  return errors;
}

function addedTo(next: readonly string[] = [], old: readonly string[] = []): string[] {
  const before = new Set(old);
  return next.filter((name) => !before.has(name));
}

/** Validates labels, annotations and owner references, and adds the errors to `errors`. */
function addDescriptiveErrors(
  errors: FieldError[],
  { labels, annotations, ownerReferences }: ReadonlyObject["metadata"],
): void {
  if (labels) addLabelErrors(errors, labels);
  if (annotations) addAnnotationErrors(errors, annotations);
  if (ownerReferences)
    for (const error of ownerErrors(ownerReferences as readonly OwnerReference[], paths.owners)) errors.push(error);
}

const lasting = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

function addGenerateNameErrors(errors: FieldError[], generateName: string, rule: NameRule): void {
  for (const text of prefixProblems(generateName, rule))
    errors.push(fieldError.invalid(at.child("generateName"), generateName, text));
}

/**
 * Returns the problems of a `generateName`, which is the beginning of a name. As in upstream, a dash at the end and the character before it
 * are replaced before the check.
 */
function prefixProblems(prefix: string, rule: NameRule): readonly string[] {
  if (rule === "pathSegment") return isPathSegmentName(`${prefix}a`); // a prefix may consist of dots, but a whole name may not
  return nameRules[rule](prefix.length > 1 && prefix.endsWith("-") ? `${prefix.slice(0, -2)}a` : prefix);
}

function addNameErrors(errors: FieldError[], name: string, rule: NameRule): void {
  if (!name) errors.push(fieldError.required(at.child("name"), "name or generateName is required"));
  else for (const text of nameRules[rule](name)) errors.push(fieldError.invalid(at.child("name"), name, text));
}

function addNamespaceErrors(errors: FieldError[], namespace: string | undefined, namespaced: boolean): void {
  if (!namespaced) {
    if (namespace) errors.push(fieldError.forbidden(at.child("namespace"), "not allowed on this type"));
  } else if (!namespace) errors.push(fieldError.required(at.child("namespace")));
  else
    for (const text of isDns1123Label(namespace))
      errors.push(fieldError.invalid(at.child("namespace"), namespace, text));
}

function addLabelErrors(errors: FieldError[], labels: Readonly<Record<string, string>>): void {
  for (const key in labels) {
    const value = labels[key] ?? "";
    for (const text of validateQualifiedName(key)) errors.push(fieldError.invalid(paths.labels, key, text));
    for (const text of isLabelValue(value)) errors.push(fieldError.invalid(paths.labels, value, text));
  }
}

function addAnnotationErrors(errors: FieldError[], annotations: Readonly<Record<string, string>>): void {
  let bytes = 0;
  for (const key in annotations) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] ?? "");
    for (const text of validateQualifiedName(key.toLowerCase()))
      errors.push(fieldError.invalid(paths.annotations, key, text));
  }
  if (bytes > totalAnnotationBytes) errors.push(fieldError.tooLong(paths.annotations, totalAnnotationBytes));
}

function ownerErrors(owners: readonly OwnerReference[], at: FieldPath): FieldError[] {
  let controller: OwnerReference | undefined;
  return owners.flatMap((owner, i) => {
    const path = at.index(i);
    const errors = (["apiVersion", "kind", "name", "uid"] as const)
      .filter((name) => !owner[name])
      .map((name) => fieldError.required(path.child(name), "must not be empty"));
    if (owner.apiVersion && !/^(?:[^/]*\/)?[^/]+$/.test(owner.apiVersion))
      errors.push(
        fieldError.invalid(path.child("apiVersion"), owner.apiVersion, "must be <group>/<version> or <version>"),
      );
    if (owner.kind === "Event" && /^(v1|events\.k8s\.io\/)/.test(owner.apiVersion))
      errors.push(
        fieldError.invalid(
          path,
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
      else controller = owner;
    }
    return errors;
  });
}

/** Returns a warning for each finalizer whose name might also be used by an unrelated program. */
export function finalizerWarnings(
  resource: ServedResource,
  next: Readonly<ObjectMeta>,
  old?: ReadonlyObject["metadata"],
): string[] {
  if (resource.origin !== "custom") return [];
  return addedTo(next.finalizers, old?.finalizers)
    .filter((name) => !name.includes("/") && !standardFinalizers.has(name))
    .map(
      (name) =>
        `metadata.finalizers: ${quote(name)}: prefer a domain-qualified finalizer name ${name.includes(".") ? "including a path (/) " : ""}to avoid accidental conflicts with other finalizer writers`,
    );
}

function finalizerErrors(finalizers: readonly string[], qualified: boolean, at: FieldPath): FieldError[] {
  const errors = finalizers.flatMap((name, index) => {
    const found = validateQualifiedName(name).map((text) => fieldError.invalid(at, name, text));
    if (qualified && !name.includes("/") && !standardFinalizers.has(name))
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
