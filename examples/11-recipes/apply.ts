import { createOrUpdate, type ReadWriter } from "kubewright";
import { ConfigMap } from "kubewright/kinds";

// #region apply
/** Applies only the fields that it owns. Other keys, labels and annotations belong to others, and stay. */
export const applied = (client: ReadWriter, colour: string) =>
  client.apply(ConfigMap, { metadata: { name: "settings", namespace: "default" }, data: { colour } }, { force: true });
// #endregion apply

// #region update
/** Reads the object, and decides based on its content. */
export const counted = (client: ReadWriter) =>
  createOrUpdate(client, ConfigMap, "default/visits", (draft) => {
    draft.data = { ...draft.data, count: String(Number(draft.data?.count ?? 0) + 1) };
  });
// #endregion update
