import { cachedKind, Manager, type ManagerOptions, metadataOnly } from "kubewright";
import { ConfigMap, Secret } from "kubewright/kinds";

// #region narrow
/** Of all kinds those with the label, in two namespaces; of Secrets the types and names, but no data. */
export const narrow = (connection: ManagerOptions["connection"]): Manager =>
  new Manager({
    connection,
    metrics: { bindAddress: "0" },
    cacheOptions: {
      namespaces: ["web", "db"],
      labels: { "app.kubernetes.io/part-of": "shop" },
      kinds: [cachedKind(Secret, { labels: {}, transform: ({ data: _, ...secret }) => secret })],
    },
  });
// #endregion narrow

// #region metadata
/** The cache holds names, labels and annotations of ConfigMaps, and not what is in them. */
export const namesOf = async ({ client }: Manager, namespace: string): Promise<readonly string[]> =>
  (await client.list(metadataOnly(ConfigMap), { namespace })).map(({ metadata }) => metadata.name);
// #endregion metadata

// #region live
/** Not by the cache: the API server's answer of this moment. */
export const live = ({ unfenced }: Manager, key: string) => unfenced.apiReader.get(ConfigMap, key);
// #endregion live
