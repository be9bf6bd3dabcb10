import { findCause } from "../value/find-cause.ts";
import { isErrorWithCode, KubewrightError } from "../value/kubewright-error.ts";
import { parseApiVersion } from "./kind.ts";
import type { DeepReadonly, KubeObject, OwnerReference } from "./object.ts";

/** Thrown if the object already has a different managing controller. */
export class AlreadyOwnedError extends KubewrightError {
  override readonly name = "AlreadyOwnedError";
  readonly code = "ERR_ALREADY_OWNED";
  /** Reference to the other controller. */
  readonly owner: DeepReadonly<OwnerReference>;

  constructor(object: DeepReadonly<Pick<KubeObject, "metadata">>, owner: DeepReadonly<OwnerReference>) {
    const { namespace, name } = object.metadata;
    super(
      `Object ${namespace ? `${namespace}/` : ""}${name} is already owned by another ${owner.kind} controller ${owner.name}`,
    );
    this.owner = owner;
  }
}

/** Reports whether the error is an {@link AlreadyOwnedError} or was caused by one. */
export const isAlreadyOwnedError = (error: unknown): boolean =>
  findCause(error, isErrorWithCode<AlreadyOwnedError>("ERR_ALREADY_OWNED")) !== undefined;

/** Options for a new owner reference. */
export interface OwnerReferenceOptions {
  /**
   * True if foreground deletion of the owner must wait for the deletion of the object. Default: true for {@link setControllerReference} and
   * {@link controllerReference}, not set for {@link setOwnerReference}.
   */
  readonly blockOwnerDeletion?: boolean | undefined;
}

/**
 * Returns a reference to `owner` as the managing controller. Use it in objects that you apply, as in `ownerReferences:
 * [controllerReference(site)]`. Unlike {@link setControllerReference}, this function cannot check whether the owner is
 * allowed to own the object.
 *
 * @throws {Error} if the owner has no uid, `apiVersion` or `kind`
 * @see apimachinery apis/meta/v1 NewControllerRef
 */
export function controllerReference(
  owner: DeepReadonly<KubeObject>,
  options: OwnerReferenceOptions = {},
): OwnerReference {
  checkExists(owner);
  return { ...referenceTo(owner), controller: true, blockOwnerDeletion: options.blockOwnerDeletion ?? true };
}

/**
 * Makes `owner` the managing controller of `object`, in place. When the owner is deleted, the object is
 * garbage-collected. When the object changes, controllers that watch owned objects reconcile the owner.
 *
 * @throws {AlreadyOwnedError} if another controller manages the object
 * @throws {Error} if the owner has no uid, `apiVersion` or `kind`, or is namespaced and not in the object's namespace
 * @see controller-runtime controllerutil SetControllerReference
 */
export function setControllerReference(
  owner: DeepReadonly<KubeObject>,
  object: Pick<KubeObject, "metadata">,
  options: OwnerReferenceOptions = {},
): void {
  const reference = controllerReference(owner, options);
  checkScope(owner, object);
  const existing = controllerOf(object);
  if (existing && !refersToSame(existing, reference)) throw new AlreadyOwnedError(object, existing);
  upsert(object, reference);
}

/**
 * Adds `owner` to the owners of `object`, in place, without making it the managing controller.
 *
 * @throws {Error} if the owner has no uid, `apiVersion` or `kind`, or is namespaced and not in the object's namespace
 * @see controller-runtime controllerutil SetOwnerReference
 */
export function setOwnerReference(
  owner: DeepReadonly<KubeObject>,
  object: Pick<KubeObject, "metadata">,
  options: OwnerReferenceOptions = {},
): void {
  checkExists(owner);
  checkScope(owner, object);
  const { blockOwnerDeletion } = options;
  upsert(object, { ...referenceTo(owner), ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }) });
}

/** Removes the reference to `owner` from `object`, in place. Returns true if the object had such a reference. */
export function removeOwnerReference(owner: DeepReadonly<KubeObject>, object: Pick<KubeObject, "metadata">): boolean {
  const references = object.metadata.ownerReferences ?? [];
  const reference = referenceTo(owner);
  const rest = references.filter((existing) => !refersToSame(existing, reference));
  if (rest.length === references.length) return false;
  if (rest.length === 0) delete object.metadata.ownerReferences;
  else object.metadata.ownerReferences = rest;
  return true;
}

/**
 * Removes the reference to `owner` from `object`, in place, if `owner` is the object's managing controller. Returns
 * true if the reference was removed. Keeps all other references.
 *
 * @see controller-runtime controllerutil RemoveControllerReference
 */
export function removeControllerReference(
  owner: DeepReadonly<KubeObject>,
  object: Pick<KubeObject, "metadata">,
): boolean {
  const controller = controllerOf(object);
  if (!controller || !refersToSame(controller, referenceTo(owner))) return false;
  return removeOwnerReference(owner, object);
}

/**
 * Returns an object's reference to its managing controller, or `undefined` if it has none.
 *
 * @see apimachinery apis/meta/v1 GetControllerOf
 */
export function controllerOf(
  object: DeepReadonly<Pick<KubeObject, "metadata">>,
): DeepReadonly<OwnerReference> | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** Reports whether `owner` is the managing controller of `object`. Compares uids. */
export function isControlledBy(
  object: DeepReadonly<Pick<KubeObject, "metadata">>,
  owner: DeepReadonly<Pick<KubeObject, "metadata">>,
): boolean {
  const reference = controllerOf(object);
  return reference !== undefined && reference.uid === owner.metadata.uid;
}

/** Reports whether `owner` is among the owners of `object`. Compares group, kind and name. */
export function hasOwner(object: DeepReadonly<Pick<KubeObject, "metadata">>, owner: DeepReadonly<KubeObject>): boolean {
  const wanted = { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name };
  return (object.metadata.ownerReferences ?? []).some((reference) => refersToSame(reference, wanted));
}

function referenceTo(owner: DeepReadonly<KubeObject>): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "" };
}

type Named = Pick<DeepReadonly<OwnerReference>, "apiVersion" | "kind" | "name">;

/**
 * Reports whether two references refer to the same object. Versions are ignored, because all versions of a group refer to the same object.
 */
function refersToSame(a: Named, b: Named): boolean {
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    parseApiVersion(a.apiVersion).group === parseApiVersion(b.apiVersion).group
  );
}

function upsert(object: Pick<KubeObject, "metadata">, reference: OwnerReference): void {
  const references = object.metadata.ownerReferences ?? [];
  const known = references.some((existing) => refersToSame(existing, reference));
  object.metadata.ownerReferences = known
    ? references.map((existing) => (refersToSame(existing, reference) ? reference : existing))
    : [...references, reference];
}

function checkExists(owner: DeepReadonly<KubeObject>): void {
  if (!owner.apiVersion || !owner.kind)
    throw new Error(`the owner "${owner.metadata.name}" has no apiVersion or no kind`);
  if (!owner.metadata.uid)
    throw new Error(`${owner.kind} "${owner.metadata.name}" has no uid; create it before you make it an owner`);
}

function checkScope(owner: DeepReadonly<KubeObject>, object: DeepReadonly<Pick<KubeObject, "metadata">>): void {
  const ownerNamespace = owner.metadata.namespace;
  if (!ownerNamespace) return;
  const namespace = object.metadata.namespace;
  if (!namespace)
    throw new Error(
      `cluster-scoped resource must not have a namespace-scoped owner, owner's namespace ${ownerNamespace}`,
    );
  if (namespace !== ownerNamespace)
    throw new Error(
      `cross-namespace owner references are disallowed, owner's namespace ${ownerNamespace}, obj's namespace ${namespace}`,
    );
}
