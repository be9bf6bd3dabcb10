import { type DeepReadonly, isInternalError } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import type { CustomResourceDefinition } from "@kubewright/client/kinds";
import { hasService } from "../cluster/dead-conversion.ts";
import { objectsOf } from "../cluster/objects-of.ts";

/** A definition whose objects no webhook converts once the deployment in a namespace is deleted. */
export interface Unconverted {
  /** `sites.shop.example.com` */
  readonly name: string;
  /** `v1, v1beta1` */
  readonly versions: string;
  /** `shop-system/shop-webhook-service` */
  readonly service: string;
  /** Count of objects, such as `3 sites.shop.example.com`; undefined if there are none. */
  readonly objects?: string | undefined;
}

/** Returns definitions with several versions that an existing service of the namespace converts. */
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

/** Returns the error message that refuses to leave such objects behind. */
export const unconvertedText = ({ name, versions, service, objects }: Unconverted): string =>
  `${name}: there are ${objects}, and undeploy deletes ${service}, which converts them between ${versions}: objects could then be read or deleted only in their stored version, and a namespace that contains one could not be deleted. ` +
  `Delete them first (kubectl delete ${name} --all --all-namespaces), or delete them with their definition (--crds --delete-objects); --force leaves them until you deploy the program again`;

async function presentOf(
  client: Client,
  definition: DeepReadonly<CustomResourceDefinition>,
): Promise<string | undefined> {
  try {
    const { count, text } = await objectsOf(client, definition);
    return count > 0 ? text : undefined;
  } catch (error) {
    // The API server answers with this error if the service exists but its webhook does not convert.
    if (!isInternalError(error) || !(error instanceof Error)) throw error;
    return `objects that cannot be counted (${error.message})`;
  }
}
