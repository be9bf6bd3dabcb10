import { byKey, controllerOf, type DeepReadonly, ignoreNotFound, type Stored } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import { purposeLabel } from "../api/group.ts";
import { byController } from "../cnf/indexes.ts";
import { isOlder } from "../rules/age.ts";
import type { RuleObject } from "../uci/cnf-kind.ts";
import { bucketLabel } from "../webhooks/bucket-grant.ts";
import { matchesChild } from "./child-patch.ts";
import type { Child, Composite, CompositeKind, Facts } from "./composite-kind.ts";

/** An existing child. */
export interface ExistingChild {
  readonly kind: Child["kind"];
  readonly object: Stored<DeepReadonly<RuleObject>>;
}

/** Returns an ID that distinguishes objects with the same name but different kinds. */
export const idOf = ({ kind }: Pick<Child, "kind">, name: string): string => `${kind.kind} ${name}`;

/**
 * Returns a composite's children: the rules that it controls, and rules without a controller, left behind by the
 * reference operator, that exactly match the composite's stored status.
 */
export async function existingChildren(
  kind: CompositeKind,
  object: Composite,
  reader: Reader,
): Promise<readonly ExistingChild[]> {
  const { namespace, uid = "" } = object.metadata;
  const found = new Map<string, ExistingChild>();
  for (const of of kind.owns)
    for (const child of (await reader.list(of, { namespace, fields: { [byController]: uid } })).filter(
      namesAsOwner(object),
    ))
      found.set(idOf({ kind: of }, child.metadata.name), { kind: of, object: child });
  for (const expected of childrenInStatus(kind, object)) {
    const id = idOf(expected, expected.name);
    if (found.has(id)) continue;
    const child = await reader.get(expected.kind, { namespace, name: expected.name }).catch(ignoreNotFound);
    if (child && mayBeOrphanOf(object, child) && matchesChild(expected, child))
      found.set(id, { kind: expected.kind, object: child });
  }
  return [...found.values()].sort((a, b) => byKey(a.object, b.object));
}

/**
 * Reports whether a child's controller reference has the kind and name of the composite. A matching UID alone is not enough, because anyone
 * can write an owner reference with this UID and another kind or name.
 */
const namesAsOwner =
  ({ apiVersion, kind, metadata }: Composite) =>
  (child: DeepReadonly<RuleObject>): boolean => {
    const owner = controllerOf(child);
    return owner?.kind === kind && owner.name === metadata.name && owner.apiVersion === apiVersion;
  };

/**
 * Reports whether the reference operator may have created an object for a composite: it has no controller, is not older than the
 * composite, and has the same values of the labels that determine who may write it and where it applies. Otherwise, users who may write
 * composites could change and delete rules that they may not write.
 */
function mayBeOrphanOf(composite: Composite, child: DeepReadonly<RuleObject>): boolean {
  if (controllerOf(child) || isOlder(child, composite)) return false;
  const [{ metadata: found }, { metadata: made }] = [child, composite];
  const isSame = (label: string): boolean => (found.labels?.[label] || "") === (made.labels?.[label] || "");
  const isInert = !found.labels?.[purposeLabel] && !found.labels?.[bucketLabel];
  return isInert || (isSame(purposeLabel) && isSame(bucketLabel));
}

function childrenInStatus(kind: CompositeKind, object: Composite): readonly Child[] {
  const facts = factsOf(object);
  const { name } = object.metadata;
  return [...kind.children(name, facts), ...kind.referenceChildren(name, facts)];
}

/** Returns the facts in a composite's stored status, without its message and conditions. */
export function factsOf({ status }: Composite): Facts {
  const { message: _message, conditions: _conditions, observedGeneration: _generation, ...facts } = status ?? {};
  return facts;
}
