import type { DeepReadonly, Kind, KubeObject } from "@kubewright/apimachinery";
import { Deployment, Pod, ReplicaSet } from "@kubewright/client/kinds";
import { accountSecretLabel, certSecretLabel, purposeLabel } from "../api/group.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";

/** Index fields for filtering lists of cached kinds. They are not supported by the API server. */
export const byPurpose = "kubewright.dev/purpose";
export const byController = "kubewright.dev/controller-uid";
export const bySecret = "kubewright.dev/secret";
export const byNameOnCnf = "kubewright.dev/claim";

/** An object that maintains indexes, such as a cache. */
export interface FieldIndexer {
  indexField<T extends KubeObject>(
    kind: Kind<T>,
    field: string,
    extract: (object: DeepReadonly<T>) => readonly string[],
  ): void;
}

/** Adds the indexes that the operator needs to avoid scanning all objects of a kind. */
export function addIndexes(indexer: FieldIndexer, kinds: readonly CnfKind[]): void {
  indexer.indexField(Deployment, byPurpose, purposeOf);
  indexer.indexField(Pod, byPurpose, purposeOf);
  indexer.indexField(ReplicaSet, byController, controllerOf);
  indexer.indexField(Pod, byController, controllerOf);
  indexer.indexField(Pod, bySecret, secretsOf);
  for (const kind of kinds) {
    indexer.indexField(kind.kind, byPurpose, purposeOf);
    indexer.indexField(kind.kind, byController, controllerOf);
    indexer.indexField(kind.kind, byNameOnCnf, (object) => nameKeysOf(kind, object));
  }
}

/** Returns the {@link byNameOnCnf} index value for a name on the CNF with the given purpose. */
export const nameKeyOf = (purpose: string, name: string): string => `${purpose} ${name}`;

function nameKeysOf(kind: CnfKind, object: DeepReadonly<RuleObject>): readonly string[] {
  return purposeOf(object).flatMap((purpose) =>
    [...new Set(kind.names(object))].map((name) => nameKeyOf(purpose, name)),
  );
}

function purposeOf({ metadata }: DeepReadonly<KubeObject>): readonly string[] {
  const purpose = metadata.labels?.[purposeLabel];
  return purpose === undefined ? [] : [purpose];
}

function controllerOf({ metadata }: DeepReadonly<KubeObject>): readonly string[] {
  return (metadata.ownerReferences ?? []).flatMap(({ controller, uid }) => (controller ? [uid] : []));
}

function secretsOf({ metadata: { labels = {} } }: DeepReadonly<KubeObject>): readonly string[] {
  return [labels[accountSecretLabel], labels[certSecretLabel]].flatMap((name) => name ?? []);
}
