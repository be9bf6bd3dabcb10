import { type DeepReadonly, isInternalError } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import type { CustomResourceDefinition } from "@kubewright/client/kinds";
import { hasService } from "../cluster/dead-conversion.ts";
import { objectsOf } from "../cluster/objects-of.ts";

/** A definition whose objects nobody converts between versions any more, once what is deployed in a namespace is gone. */
export interface Unconverted {
  /** `sites.shop.example.com` */
  readonly name: string;
  /** `v1, v1beta1` */
  readonly versions: string;
  /** `shop-system/shop-webhook-service` */
  readonly service: string;
  /** `3 sites.shop.example.com`; nothing if there are none. */
  readonly objects?: string | undefined;
}

/** Those of the definitions that are converted by a service of the namespace that is there, and have more than one version. */
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

/** What is to be said before they are left behind. */
export const unconvertedText = ({ name, versions, service, objects }: Unconverted): string =>
  `${name}: there are ${objects}, and ${service}, which goes, converts them between ${versions}: nobody could read or delete them at another version than the one each is stored at, and a namespace with one of them in it could not be deleted. ` +
  `Delete them first (kubectl delete ${name} --all --all-namespaces), or with their definition (--crds --delete-objects); --force leaves them until the program is deployed again`;

async function presentOf(
  client: Client,
  definition: DeepReadonly<CustomResourceDefinition>,
): Promise<string | undefined> {
  try {
    const { count, text } = await objectsOf(client, definition);
    return count > 0 ? text : undefined;
  } catch (error) {
    // So they answer where the service is there, and what is behind it does not convert.
    if (!isInternalError(error) || !(error instanceof Error)) throw error;
    return `objects that cannot be counted (${error.message})`;
  }
}
