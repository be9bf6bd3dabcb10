import {
  byKey,
  controllerOf,
  type DeepReadonly,
  ignoreNotFound,
  type Kind,
  type KubeObject,
  keyOf,
  type ParsedLabelSelector,
} from "@kubewright/apimachinery";
import type { ReadWriter } from "@kubewright/client";

/** An owner that claims dependents, with its selector. */
export interface Claimant {
  readonly kind: Kind;
  readonly object: DeepReadonly<KubeObject>;
  readonly selector: ParsedLabelSelector;
}

/**
 * Returns the candidates that belong to the claimant: those that it controls and that match its selector. Unless the
 * claimant is being deleted, adopts matching dependents that have no controller and releases controlled dependents that
 * no longer match. The result is ordered by key, so that repeated calls return the same order.
 *
 * @see kubernetes pkg/controller/controller_ref_manager.go
 */
export async function claim<T extends KubeObject>(
  client: ReadWriter,
  kind: Kind<T>,
  claimant: Claimant,
  candidates: Iterable<DeepReadonly<NoInfer<T>>>,
): Promise<DeepReadonly<T>[]> {
  const { object, selector } = claimant;
  const isGoing = object.metadata.deletionTimestamp !== undefined;
  const claimed: DeepReadonly<T>[] = [];
  for (const candidate of candidates) {
    const controller = controllerOf(candidate);
    const matches = selector.matches(candidate.metadata.labels);
    if (controller) {
      if (controller.uid !== object.metadata.uid) continue;
      if (matches) claimed.push(candidate);
      else if (!isGoing) await release(client, kind, claimant, candidate);
    } else if (matches && !isGoing && candidate.metadata.deletionTimestamp === undefined) {
      const adopted = await adopt(client, kind, claimant, candidate);
      if (adopted) claimed.push(adopted);
    }
  }
  return claimed.sort(byKey);
}

async function adopt<T extends KubeObject>(
  client: ReadWriter,
  kind: Kind<T>,
  { object, kind: ownerKind }: Claimant,
  candidate: DeepReadonly<T>,
): Promise<DeepReadonly<T> | undefined> {
  const { group, version, kind: name } = ownerKind;
  const reference = {
    apiVersion: group === "" ? version : `${group}/${version}`,
    kind: name,
    name: object.metadata.name,
    uid: object.metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
  const anyKind: Kind = kind;
  const body = { metadata: { uid: candidate.metadata.uid, ownerReferences: [reference] } };
  const adopted = await client.patch(anyKind, keyOf(candidate), body, { type: "strategic" }).catch(ignoreNotFound);
  return adopted && { ...candidate, metadata: adopted.metadata };
}

async function release<T extends KubeObject>(
  client: ReadWriter,
  kind: Kind<T>,
  { object }: Claimant,
  candidate: DeepReadonly<T>,
): Promise<void> {
  const ownerReferences = [{ $patch: "delete", uid: object.metadata.uid }];
  const anyKind: Kind = kind;
  const body = { metadata: { uid: candidate.metadata.uid, ownerReferences } };
  await client.patch(anyKind, keyOf(candidate), body, { type: "strategic" }).catch(ignoreNotFound);
}
