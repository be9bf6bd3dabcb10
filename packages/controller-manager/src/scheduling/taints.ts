import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Node, Pod } from "@kubewright/client/kinds";

export type Taint = NonNullable<NonNullable<DeepReadonly<Node>["spec"]>["taints"]>[number];
export type Toleration = NonNullable<DeepReadonly<Pod>["spec"]["tolerations"]>[number];

/** Reports whether a toleration tolerates a taint. @see kubernetes component-helpers/scheduling/corev1/helpers.go */
export function tolerates({ key, operator = "Equal", value = "", effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return operator === "Exists" || (operator === "Equal" && Boolean(key) && value === (taint.value ?? ""));
}

/** Returns the first taint that keeps a pod off a node, if any. */
export function repellingTaint({ spec }: Pick<DeepReadonly<Pod>, "spec">, node: DeepReadonly<Node>): Taint | undefined {
  return (node.spec?.taints ?? []).find(
    (taint) => taint.effect !== "PreferNoSchedule" && !(spec.tolerations ?? []).some((each) => tolerates(each, taint)),
  );
}
