import { createOrUpdate, type ReadWriter } from "kubewright";
import { ConfigMap } from "kubewright/kinds";

// #region apply
/** Says what it wants. Other keys, labels and annotations are somebody else's, and stay. */
export const applied = (client: ReadWriter, colour: string) =>
  client.apply(ConfigMap, { metadata: { name: "settings", namespace: "default" }, data: { colour } }, { force: true });
// #endregion apply

// #region update
/** Looks at what is there, and decides by it. */
export const counted = (client: ReadWriter) =>
  createOrUpdate(client, ConfigMap, "default/visits", (draft) => {
    draft.data = { ...draft.data, count: String(Number(draft.data?.count ?? 0) + 1) };
  });
// #endregion update
