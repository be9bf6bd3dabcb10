import { apiVersionOf } from "@kubewright/apimachinery";
import { everything, type Storage, type StoredObject } from "@kubewright/storage";
import type { ParamReader } from "../admission/policy/params.ts";
import type { ReadonlyObject, ServedResource } from "../registry/resource.ts";
import type { AllServedResources } from "./served-resources.ts";

/**
 * Returns a reader for policies' parameter objects. It reads them directly from the storage, in the version that the
 * policy specifies.
 */
export function paramReader(storage: Storage, served: AllServedResources): ParamReader {
  const shown = async ({ converter }: ServedResource, objects: readonly StoredObject[]) =>
    converter ? await converter.toServed(objects) : objects;
  return {
    resourceOf: ({ apiVersion, kind }) =>
      served.all().find((resource) => resource.kind === kind && apiVersionOf(resource) === apiVersion),
    async get(resource, namespace, name): Promise<ReadonlyObject | undefined> {
      const folder = namespace === "" ? "" : `${namespace}/`;
      const stored = await storage.get(`${resource.storagePrefix}${folder}${name}`, { ignoreNotFound: true });
      return stored && (await shown(resource, [stored]))[0];
    },
    async list(resource, namespace): Promise<readonly ReadonlyObject[]> {
      const folder = namespace === "" ? "" : `${namespace}/`;
      const { items } = await storage.getList(`${resource.storagePrefix}${folder}`, { predicate: everything });
      return shown(resource, items);
    },
  };
}
