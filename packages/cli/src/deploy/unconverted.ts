import { type DeepReadonly, isInternalError } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import type { CustomResourceDefinition } from "@kubewright/client/kinds";
import { hasService } from "../cluster/dead-conversion.ts";
import { objectsOf } from "../cluster/objects-of.ts";

/** A CRD whose objects can no longer be converted once the deployment in a namespace has been deleted. */
export interface Unconverted {
  /** Name of the CRD, such as `sites.shop.example.com`. */
  readonly name: string;
  /** Versions, such as `v1, v1beta1`. */
  readonly versions: string;
  /** Service that converts the objects, such as `shop-system/shop-webhook-service`. */
  readonly service: string;
  /** Number of objects, such as `3 sites.shop.example.com`; undefined if there are none. */
  readonly objects?: string | undefined;
}

/** Returns the CRDs that have several versions and are converted by an existing service in the namespace. */
export async function unconvertedWithout(
  client: Client,
  namespace: string,
  definitions: readonly DeepReadonly<CustomResourceDefinition>[],
): Promise<Unconverted[]> {
  const found: Unconverted[] = [];
  for (const definition of definitions) {
    const { conversion, versions } = definition.spec;
    const service = conversion?.strategy === "Webhook" ? conversion.webhook?.clientConfig?.service : undefined;
    if (service?.namespace !== namespace || !(await hasService(client, service))) continue;
    const served = versions.filter((one) => one.served).map(({ name }) => name);
    const names = [...new Set([...served, ...(definition.status?.storedVersions ?? [])])].sort();
    if (names.length < 2) continue;
    found.push({
      name: definition.metadata.name,
      versions: names.join(", "),
      service: `${namespace}/${service.name}`,
      objects: await presentOf(client, definition),
    });
  }
  return found;
}

/** Returns the error message about objects that `undeploy` would leave behind without a conversion. */
export const unconvertedText = ({ name, versions, service, objects }: Unconverted): string =>
  `${name}: there are ${objects}, and undeploy would delete ${service}, which converts them between ${versions}: objects could then be read or deleted only in their stored version, and a namespace that contains one could not be deleted. ` +
  `Delete them first (kubectl delete ${name} --all --all-namespaces), or delete them with their CRD (--crds --delete-objects); --force leaves them until you deploy the program again`;

async function presentOf(
  client: Client,
  definition: DeepReadonly<CustomResourceDefinition>,
): Promise<string | undefined> {
  try {
    const { count, text } = await objectsOf(client, definition);
    return count > 0 ? text : undefined;
  } catch (error) {
    // The API server returns this error if the service exists but its webhook does not convert.
    if (!isInternalError(error) || !(error instanceof Error)) throw error;
    return `objects that cannot be counted (${error.message})`;
  }
}
