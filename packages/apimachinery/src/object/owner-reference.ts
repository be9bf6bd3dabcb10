import { findCause } from "../value/find-cause.ts";
import { parseApiVersion } from "./kind.ts";
import type { DeepReadonly, KubeObject, OwnerReference } from "./object.ts";

type Owner = DeepReadonly<KubeObject>;
type Referencing = Pick<KubeObject, "metadata">;

/** Another controller manages the object already. */
export class AlreadyOwnedError extends Error {
  override readonly name = "AlreadyOwnedError";
  /** The reference to it. */
  readonly owner: DeepReadonly<OwnerReference>;

  constructor(object: DeepReadonly<Referencing>, owner: DeepReadonly<OwnerReference>) {
    const { namespace, name } = object.metadata;
    super(
      `Object ${namespace ? `${namespace}/` : ""}${name} is already owned by another ${owner.kind} controller ${owner.name}`,
    );
    this.owner = owner;
  }
}

/** Whether an error says so, or was caused by one that does. */
export const isAlreadyOwned = (error: unknown): boolean =>
  findCause(error, (cause): cause is AlreadyOwnedError => cause instanceof AlreadyOwnedError) !== undefined;

/** What a new owner reference says beside who the owner is. */
export interface OwnerReferenceOptions {
  /** Default true for {@link setControllerReference} and {@link controllerReference}, absent for {@link setOwnerReference}. */
  readonly blockOwnerDeletion?: boolean | undefined;
}

/**
 * A reference to `owner` as managing controller, for objects that are applied: `ownerReferences: [controllerReference(site)]`. Where
 * the object is at hand, {@link setControllerReference} also sees whether the two may go together.
 *
 * @throws {Error} if the owner has no uid yet, or does not say of which kind it is
 * @see apimachinery apis/meta/v1 NewControllerRef
 */
export function controllerReference(owner: Owner, options: OwnerReferenceOptions = {}): OwnerReference {
  checkExists(owner);
  return { ...referenceTo(owner), controller: true, blockOwnerDeletion: options.blockOwnerDeletion ?? true };
}

/**
 * Makes `owner` the managing controller of `object` (which is changed): the object is deleted after its owner, and changes to it
 * are changes of the owner.
 *
 * @throws {AlreadyOwnedError} if another controller manages it
 * @throws {Error} if the owner has no uid yet, does not say of which kind it is, or is namespaced and in another namespace
 * @see controller-runtime controllerutil SetControllerReference
 */
export function setControllerReference(owner: Owner, object: Referencing, options: OwnerReferenceOptions = {}): void {
  const reference = controllerReference(owner, options);
  checkScope(owner, object);
  const existing = controllerOf(object);
  if (existing && !refersToSame(existing, reference)) throw new AlreadyOwnedError(object, existing);
  upsert(object, reference);
}

/**
 * Makes `owner` one of the owners of `object` (which is changed), without managing it.
 *
 * @throws {Error} if the owner has no uid yet, does not say of which kind it is, or is namespaced and in another namespace
 * @see controller-runtime controllerutil SetOwnerReference
 */
export function setOwnerReference(owner: Owner, object: Referencing, options: OwnerReferenceOptions = {}): void {
  checkExists(owner);
  checkScope(owner, object);
  const { blockOwnerDeletion } = options;
  upsert(object, { ...referenceTo(owner), ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }) });
}

/** Takes the reference to `owner` out of `object`; returns whether there was one. */
export function removeOwnerReference(owner: Owner, object: Referencing): boolean {
  const references = object.metadata.ownerReferences ?? [];
  const reference = referenceTo(owner);
  const rest = references.filter((existing) => !refersToSame(existing, reference));
  if (rest.length === references.length) return false;
  if (rest.length === 0) delete object.metadata.ownerReferences;
  else object.metadata.ownerReferences = rest;
  return true;
}

/**
 * Takes the reference to `owner` out of `object` if it is the managing controller; returns whether it was. One that only owns stays.
 *
 * @see controller-runtime controllerutil RemoveControllerReference
 */
export function removeControllerReference(owner: Owner, object: Referencing): boolean {
  const controller = controllerOf(object);
  if (!controller || !refersToSame(controller, referenceTo(owner))) return false;
  return removeOwnerReference(owner, object);
}

/** The reference to the managing controller, if there is one. @see apimachinery apis/meta/v1 GetControllerOf */
export function controllerOf(object: DeepReadonly<Referencing>): DeepReadonly<OwnerReference> | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** Whether `owner` (by uid) is the managing controller of `object`. */
export function isControlledBy(object: DeepReadonly<Referencing>, owner: DeepReadonly<Referencing>): boolean {
  const reference = controllerOf(object);
  return reference !== undefined && reference.uid === owner.metadata.uid;
}

/** Whether `owner` is among the owners of `object`: same group, kind and name. */
export function hasOwner(object: DeepReadonly<Referencing>, owner: Owner): boolean {
  const wanted = { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name };
  return (object.metadata.ownerReferences ?? []).some((reference) => refersToSame(reference, wanted));
}

function referenceTo(owner: Owner): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? "" };
}

type Named = Pick<DeepReadonly<OwnerReference>, "apiVersion" | "kind" | "name">;

/** Versions of one group mean the same object, so only the group counts. */
function refersToSame(a: Named, b: Named): boolean {
  return (
    a.kind === b.kind &&
    a.name === b.name &&
    parseApiVersion(a.apiVersion).group === parseApiVersion(b.apiVersion).group
  );
}

function upsert(object: Referencing, reference: OwnerReference): void {
  const references = object.metadata.ownerReferences ?? [];
  const known = references.some((existing) => refersToSame(existing, reference));
  object.metadata.ownerReferences = known
    ? references.map((existing) => (refersToSame(existing, reference) ? reference : existing))
    : [...references, reference];
}

function checkExists(owner: Owner): void {
  if (!owner.apiVersion || !owner.kind)
    throw new Error(`the owner "${owner.metadata.name}" does not say of which apiVersion and kind it is`);
  if (!owner.metadata.uid)
    throw new Error(`${owner.kind} "${owner.metadata.name}" has no uid yet: create it before it owns anything`);
}

function checkScope(owner: Owner, object: DeepReadonly<Referencing>): void {
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
