import { type DeepReadonly, keyOf } from "@kubewright/apimachinery";
import type { Reader } from "@kubewright/client";
import type { Pod } from "@kubewright/client/kinds";
import { sentHashAnnotation } from "../api/group.ts";
import { messageOf } from "../cnf/cnf-error.ts";
import type { CnfScope } from "../cnf/cnf-scope.ts";
import { cnfViewOf } from "../cnf/cnf-view.ts";
import type { Cnf } from "../cnf/discovery.ts";
import { byPurpose } from "../cnf/indexes.ts";
import { ruleKinds } from "../kinds/rule-kinds.ts";
import { masked } from "../masking/mask.ts";
import type { RuleSecrets } from "../secrets/rule-secrets.ts";
import type { CnfKind, RuleObject } from "../uci/cnf-kind.ts";
import { type Order, orderOf } from "../uci/order.ts";
import type { UciObject } from "../uci/uci-object.ts";

/** An object that a resource requires on a CNF pod. */
export interface DesiredObject {
  readonly kind: CnfKind;
  readonly rule: DeepReadonly<RuleObject>;
  readonly name: string;
  /** The desired object. Undefined if the object should be deleted or cannot be computed. */
  readonly object: UciObject | undefined;
  /** Reason why the object cannot be computed. */
  readonly problem: string | undefined;
  readonly isBeingDeleted: boolean;
  /** Position among the other objects in the collection. Undefined if the object's order does not matter. */
  readonly order: Order | undefined;
  readonly sentHash: string | undefined;
  readonly secrets: readonly (string | undefined)[];
}

/**
 * Returns the objects that the resources for a purpose require on a pod of the CNF with that purpose, those of older
 * resources first. If two resources claim the same name, the older one gets it.
 *
 * @param pod undefined if the CNF has no pod
 */
export async function desiredObjects(
  reader: Reader,
  purpose: string,
  cnf: Cnf,
  scope: CnfScope,
  secrets: RuleSecrets,
  pod: DeepReadonly<Pod> | undefined,
): Promise<readonly DesiredObject[]> {
  const view = cnfViewOf(reader, pod);
  const { namespace } = cnf.deployment.metadata;
  const kinds: readonly CnfKind[] = ruleKinds;
  const desired: DesiredObject[] = [];
  for (const kind of kinds)
    for (const stored of await reader.list(kind.kind, { fields: { [byPurpose]: purpose } })) {
      if (!scope.allows(stored.metadata.namespace, namespace)) continue;
      const { rule, problem } = await secrets.fill(reader, kind, stored);
      const known = secrets.of(kind, rule);
      const name = kind.nameOnCnf(rule.metadata.name);
      const isBeingDeleted = rule.metadata.deletionTimestamp !== undefined;
      const conversion = isBeingDeleted
        ? {}
        : await converted(async () => {
            if (problem) throw problem;
            if (kind.precedence) orderOf(rule);
            return { name, ...(await kind.toUci(rule, view)) };
          });
      desired.push({
        kind,
        rule,
        name,
        isBeingDeleted,
        object: conversion.object,
        order: kind.precedence && conversion.object ? orderOf(rule) : undefined,
        problem: conversion.error === undefined ? undefined : masked(messageOf(conversion.error), known),
        sentHash: rule.metadata.annotations?.[sentHashAnnotation],
        secrets: known,
      });
    }
  return desired.toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1));
}

async function converted(make: () => Promise<UciObject>): Promise<{ object?: UciObject; error?: unknown }> {
  try {
    return { object: await make() };
  } catch (error) {
    return { error };
  }
}

const ageOf = ({ rule }: DesiredObject): string => `${rule.metadata.creationTimestamp ?? ""} ${keyOf(rule)}`;
