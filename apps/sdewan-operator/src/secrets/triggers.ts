import type { DeepReadonly } from "@kubewright/apimachinery";
import { keyOf } from "@kubewright/apimachinery";
import type { Secret } from "@kubewright/client/kinds";
import { type EventHandler, enqueueRequestsFromMapFunc, type Predicate } from "@kubewright/controller";
import type { FieldIndexer } from "../cnf/indexes.ts";
import type { CnfKind } from "../uci/cnf-kind.ts";
import { referencesOf } from "./references.ts";

/** Of the kinds that may refer to Secrets: the names of those. */
const bySecretRef = "kubewright.dev/secret-ref";

/** Has the resources that refer to a Secret found without going through all of them. */
export function addSecretIndexes(indexer: FieldIndexer, kinds: readonly CnfKind[]): void {
  for (const kind of kinds.filter(({ secretFields }) => secretFields.length > 0))
    indexer.indexField(kind.kind, bySecretRef, (object) => [
      ...new Set(referencesOf(kind, object).map(({ name }) => name)),
    ]);
}

/** A Secret came, went or changed. Its data are not compared: a cache need not hold them. */
export const secretVersionChanged: Predicate<Secret> = (event) =>
  event.type !== "update" || versionOf(event.object) !== versionOf(event.old);

const versionOf = ({ metadata }: DeepReadonly<Secret>): string | undefined => metadata.resourceVersion;

/** The objects of a kind that refer to a Secret. */
export const rulesReferring = ({ kind }: CnfKind): EventHandler<Secret> =>
  enqueueRequestsFromMapFunc(async ({ metadata: { namespace, name } }, { client }) =>
    (await client.list(kind, { namespace, fields: { [bySecretRef]: name } })).map(keyOf),
  );
