import {
  byObject,
  Manager,
  type ManagerOptions,
  metadataOnly,
} from "kubewright";
import { ConfigMap, Secret } from "kubewright/kinds";

// #region narrow
/**
 * Cache options: of all kinds, only objects with the label and in two
 * namespaces are cached. Secrets are cached with their type and name, but
 * without their data.
 */
export const narrow = (connection: ManagerOptions["connection"]): Manager =>
  new Manager({
    connection,
    metrics: { bindAddress: "0" },
    cacheOptions: {
      namespaces: ["web", "db"],
      labels: { "app.kubernetes.io/part-of": "shop" },
      kinds: [
        byObject(Secret, {
          labels: {},
          transform: ({ data: _, ...secret }) => secret,
        }),
      ],
    },
  });
// #endregion narrow

// #region metadata
/** Caches only names, labels and annotations of ConfigMaps, not their data. */
export const namesOf = async (
  { client }: Manager,
  namespace: string,
): Promise<readonly string[]> =>
  (await client.list(metadataOnly(ConfigMap), { namespace })).map(
    ({ metadata }) => metadata.name,
  );
// #endregion metadata

// #region live
/** Reads from the API server instead of the cache. */
export const live = ({ unfenced }: Manager, key: string) =>
  unfenced.apiReader.get(ConfigMap, key);
// #endregion live
