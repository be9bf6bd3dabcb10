import { type DeepReadonly, metadataOnly } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import type { CustomResourceDefinition } from "@kubewright/client/kinds";

export interface ObjectCount {
  /** Number of objects; at most 500 unless every page was read. */
  readonly count: number;
  /** Count for messages: `3 sites.shop.example.com`, or `more than 500 sites.shop.example.com`. */
  readonly text: string;
}

/**
 * Counts the objects of a kind, in its stored version if that version is served. Returns 0 if no version is served, or if `namespace` is
 * set and the kind is cluster-scoped.
 *
 * @param options `namespace`: namespace in which to count (default: all); `everyPage`: true to read all objects instead
 * of the first 500
 */
export async function objectsOf(
  client: Pick<Client, "list">,
  { spec }: DeepReadonly<CustomResourceDefinition>,
  options: { readonly namespace?: string | undefined; readonly everyPage?: boolean | undefined } = {},
): Promise<ObjectCount> {
  const { namespace, everyPage = false } = options;
  const { group, names } = spec;
  const { plural, kind } = names;
  const of = `${plural}.${group}`;
  const served = spec.versions.filter((one) => one.served);
  const version = (served.find(({ storage }) => storage) ?? served[0])?.name;
  const scope = spec.scope === "Cluster" ? "Cluster" : "Namespaced";
  if (version === undefined || (namespace !== undefined && scope === "Cluster")) return { count: 0, text: `0 ${of}` };
  const type = metadataOnly({ group, version, kind, plural, scope });
  const { length: count, metadata } = await client.list(type, { namespace, limit: 500 });
  let next = metadata.continue;
  while (everyPage && next)
    ({ continue: next } = (await client.list(type, { namespace, limit: 500, continue: next })).metadata);
  return { count, text: `${metadata.continue ? "more than " : ""}${count} ${of}` };
}
