import { createOrUpdate, type ReadWriter } from "kubewright";
import { ConfigMap } from "kubewright/kinds";

// #region apply
/**
 * Applies only the fields that this program owns. Keys, labels and annotations
 * of other managers stay unchanged.
 */
export const applied = (client: ReadWriter, colour: string) =>
  client.apply(
    ConfigMap,
    { metadata: { name: "settings", namespace: "default" }, data: { colour } },
    { force: true },
  );
// #endregion apply

// #region update
/** Updates an object based on its current content, which it reads first. */
export const counted = (client: ReadWriter) =>
  createOrUpdate(client, ConfigMap, "default/visits", (draft) => {
    draft.data = {
      ...draft.data,
      count: String(Number(draft.data?.count ?? 0) + 1),
    };
  });
// #endregion update
