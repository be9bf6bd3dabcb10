import { keyOf } from "@kubewright/apimachinery";
import { type EventHandler, enqueueRequestsFromMapFunc } from "@kubewright/controller";
import type { FieldIndexer } from "../cnf/indexes.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import { referencesOf } from "./references.ts";

/** Index field of kinds that may refer to Secrets: names of these Secrets. */
const bySecretRef = "kubewright.dev/secret-ref";

/** Adds the indexes for finding the resources that refer to a Secret. */
export function addSecretIndexes(indexer: FieldIndexer, kinds: readonly CnfKind[]): void {
  for (const kind of kinds.filter(({ secretFields }) => secretFields.length > 0))
    indexer.indexField(kind.kind, bySecretRef, (object) => [
      ...new Set(referencesOf(kind, object).map(({ name }) => name)),
    ]);
}

/** Maps a Secret to the objects of a kind that refer to it. */
export const rulesReferring = ({ kind }: CnfKind): EventHandler =>
  enqueueRequestsFromMapFunc(async ({ metadata: { namespace, name } }, { client }) =>
    (await client.list(kind, { namespace, fields: { [bySecretRef]: name } })).map(keyOf),
  );
