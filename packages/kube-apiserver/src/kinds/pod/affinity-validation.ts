import {
  type FieldError,
  type FieldPath,
  fieldError,
  isDns1123Label,
  jsonEqual,
  type LabelSelectorSpec,
  validateQualifiedName,
} from "@kubewright/apimachinery";
import { messages, selectorErrors } from "../checks.ts";
import {
  type NodeSelector,
  type NodeSelectorTerm,
  nodeSelectorErrors,
  nodeSelectorTermErrors,
} from "./node-selector-validation.ts";

interface PodTerm {
  labelSelector?: LabelSelectorSpec;
  namespaceSelector?: LabelSelectorSpec;
  namespaces?: string[];
  topologyKey?: string;
}

interface PodTerms {
  requiredDuringSchedulingIgnoredDuringExecution?: PodTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: { weight?: number; podAffinityTerm?: PodTerm }[];
}

interface NodeAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  preferredDuringSchedulingIgnoredDuringExecution?: { weight?: number; preference?: NodeSelectorTerm }[];
}

export interface Affinity {
  nodeAffinity?: NodeAffinity;
  podAffinity?: PodTerms;
  podAntiAffinity?: PodTerms;
}

const required = "requiredDuringSchedulingIgnoredDuringExecution";
const preferred = "preferredDuringSchedulingIgnoredDuringExecution";

/** Returns the errors in a pod's affinity. @see pkg/apis/core/validation validateAffinity */
export function affinityErrors(affinity: Affinity, at: FieldPath): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  return [
    ...(nodeAffinity ? nodeErrors(nodeAffinity, at.child("nodeAffinity")) : []),
    ...(podAffinity ? podErrors(podAffinity, at.child("podAffinity")) : []),
    ...(podAntiAffinity ? podErrors(podAntiAffinity, at.child("podAntiAffinity")) : []),
  ];
}

function nodeErrors(affinity: NodeAffinity, at: FieldPath): FieldError[] {
  const needed = affinity[required];
  return [
    ...(needed ? nodeSelectorErrors(needed, at.child(required)) : []),
    ...(affinity[preferred] ?? []).flatMap(({ weight = 0, preference = {} }, i) => {
      const path = at.child(preferred).index(i);
      return [...weightErrors(weight, path), ...nodeSelectorTermErrors(preference, path.child("preference"))];
    }),
  ];
}

function podErrors(terms: PodTerms, at: FieldPath): FieldError[] {
  return [
    ...(terms[required] ?? []).flatMap((term, i) => termErrors(term, at.child(required).index(i))),
    ...(terms[preferred] ?? []).flatMap(({ weight = 0, podAffinityTerm = {} }, i) => {
      const path = at.child(preferred).index(i);
      return [...weightErrors(weight, path), ...termErrors(podAffinityTerm, path.child("podAffinityTerm"))];
    }),
  ];
}

const weightErrors = (weight: number, at: FieldPath): FieldError[] =>
  weight >= 1 && weight <= 100 ? [] : [fieldError.invalid(at.child("weight"), weight, "must be in the range 1-100")];

function termErrors(term: PodTerm, at: FieldPath): FieldError[] {
  const { topologyKey = "" } = term;
  const path = at.child("topologyKey");
  return [
    ...selectorErrors(term.labelSelector, at.child("labelSelector")),
    ...selectorErrors(term.namespaceSelector, at.child("namespaceSelector")),
    ...(term.namespaces ?? []).flatMap((name) => messages(name, isDns1123Label(name), at.child("namespace"))),
    ...(topologyKey === "" ? [fieldError.required(path, "can not be empty")] : []),
    ...messages(topologyKey, validateQualifiedName(topologyKey), path),
  ];
}

/**
 * Returns errors for forbidden changes to a pod's node affinity. While a pod has scheduling gates, requirements may be
 * added, but existing ones must not be changed.
 *
 * @see pkg/apis/core/validation validateNodeAffinityMutation
 */
export function nodeAffinityChanges(
  next: Affinity | undefined,
  old: Affinity | undefined,
  at: FieldPath,
): FieldError[] {
  const termsOf = (affinity: Affinity | undefined): NodeSelectorTerm[] =>
    affinity?.nodeAffinity?.[required]?.nodeSelectorTerms ?? [];
  const [before, after] = [termsOf(old), termsOf(next)];
  const path = at.child("nodeAffinity", required, "nodeSelectorTerms");
  if (before.length === 0) return [];
  if (before.length !== after.length) {
    return [
      fieldError.invalid(
        path,
        next?.nodeAffinity?.[required]?.nodeSelectorTerms ?? null,
        "no additions/deletions to non-empty NodeSelectorTerms list are allowed",
      ),
    ];
  }
  return after.flatMap((term, i) =>
    hasOnlyMore(term, before[i] ?? {})
      ? []
      : [fieldError.invalid(path.index(i), term, "only additions are allowed (no mutations or deletions)")],
  );
}

function hasOnlyMore(next: NodeSelectorTerm, old: NodeSelectorTerm): boolean {
  const lists = ["matchExpressions", "matchFields"] as const;
  const count = (term: NodeSelectorTerm): number => lists.reduce((sum, list) => sum + (term[list]?.length ?? 0), 0);
  if (count(old) === 0 && count(next) > 0) return false;
  return lists.every((list) =>
    (old[list] ?? []).every((each) => (next[list] ?? []).some((one) => jsonEqual(one, each))),
  );
}
