import {
  type GroupVersionKind,
  type GroupVersionResource,
  mutableCopy,
  type Unstructured,
} from "@kubewright/apimachinery";
import { gvkOfResource, type ReadonlyObject, type ServedResource } from "../registry/resource.ts";

/** The resources that the server serves. Used by plugins that receive objects in a version other than the request's. */
export interface ServedResources {
  find(resource: GroupVersionResource): ServedResource | undefined;
  /** Returns all resources that share the same stored objects. */
  sharing(storagePrefix: string): readonly ServedResource[];
}

/** The resource and kind under which a webhook or policy matched a request. */
export interface Equivalent {
  readonly resource: GroupVersionResource;
  readonly kind: GroupVersionKind;
}

/**
 * Returns the equivalents of a request's resource: its other versions, and resources in other groups that contain the same objects.
 *
 * @see apimachinery pkg/runtime/mapper.go EquivalentResourceRegistry
 */
export function equivalentsOf(
  served: ServedResources,
  resource: GroupVersionResource,
  subresource: string,
): Equivalent[] {
  const found = served.find(resource);
  if (!found) return [];
  return served
    .sharing(found.storagePrefix)
    .filter((other) => other !== found)
    .flatMap((other) => {
      const kind = subresource === "" ? gvkOfResource(other) : kindOfSubresource(other, subresource);
      const { group, version, resource: name } = other;
      return kind ? [{ resource: { group, version, resource: name }, kind }] : [];
    });
}

const kindOfSubresource = (resource: ServedResource, subresource: string): GroupVersionKind | undefined =>
  resource.subresources.find(({ name }) => name === subresource)?.kind;

/**
 * Converts an object to another version of its resource. An object whose kind belongs to a subresource (such as
 * `Eviction`) is returned unchanged, because such kinds have only one version.
 */
export async function convertObject(
  served: ServedResources,
  object: ReadonlyObject,
  from: GroupVersionResource,
  to: GroupVersionResource,
): Promise<Unstructured> {
  const [source, target] = [served.find(from), served.find(to)];
  const copy = mutableCopy(object) as Unstructured;
  if (!source || !target || source === target || object.kind !== source.kind) return copy;
  const stored = source.converter ? await source.converter.toStored(copy) : copy;
  const [converted] = target.converter ? await target.converter.toServed([stored]) : [stored];
  return mutableCopy(converted ?? stored) as Unstructured;
}
