import { type DeepReadonly, labelSelectorFrom, ownMember } from "@kubewright/apimachinery";
import type { Node, Pod } from "@kubewright/client/kinds";
import { matchesNodeAffinity } from "./node-affinity.ts";
import type { Misfit } from "./node-fit.ts";

type PodView = DeepReadonly<Pod>;
type NodeView = DeepReadonly<Node>;
type Affinity = NonNullable<PodView["spec"]["affinity"]>;
type Term = NonNullable<NonNullable<Affinity["podAffinity"]>["requiredDuringSchedulingIgnoredDuringExecution"]>[number];
type Spread = NonNullable<PodView["spec"]["topologySpreadConstraints"]>[number];
type Selector = Parameters<typeof labelSelectorFrom>[0];

/** The nodes and the pods on them, needed for constraints that depend on the locations of other pods. */
export interface Surroundings {
  readonly nodes: readonly NodeView[];
  /** Returns the pods that run on a node or are about to run there. */
  podsOn(node: NodeView): readonly PodView[];
  /** Labels of namespaces, keyed by namespace name. Default: no labels are known. */
  readonly namespaceLabels?: ReadonlyMap<string, Readonly<Record<string, string>>> | undefined;
}

const nearOf = ({ spec }: PodView): readonly Term[] =>
  spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
const farOf = ({ spec }: PodView): readonly Term[] =>
  spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
const spreadsOf = ({ spec }: PodView): readonly Spread[] =>
  (spec.topologySpreadConstraints ?? []).filter(({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule");

/** True if the nodes on which a pod may run depend on the locations of other pods. */
export const mindsOthers = (pod: PodView): boolean =>
  nearOf(pod).length + farOf(pod).length + spreadsOf(pod).length > 0;

/** True if the nodes on which a pod may run depend on namespace labels. */
export const mindsNamespaces = (pod: PodView): boolean =>
  [...nearOf(pod), ...farOf(pod)].some(({ namespaceSelector }) => namespaceSelector !== undefined);

/**
 * Returns the reason why the locations of other pods keep a pod from running on a node, or `undefined` if they do not.
 *
 * @see kubernetes pkg/scheduler/framework/plugins interpodaffinity, podtopologyspread
 */
export function topologyMisfit(pod: PodView, node: NodeView, around: Surroundings): Misfit | undefined {
  const misfit = (reason: string): Misfit => ({ reason, isForPods: true });
  if (!nearOf(pod).every((term) => isNear(pod, term, node, around)))
    return { reason: "node(s) didn't match pod affinity rules", isForPods: false };
  if (
    farOf(pod).some((term) =>
      neighboursOf(node, term.topologyKey, around).some((each) => isMeant(pod, term, each, around)),
    )
  )
    return misfit("node(s) didn't match pod anti-affinity rules");
  const isRepelled = (other: NodeView): boolean =>
    around
      .podsOn(other)
      .some((each) =>
        farOf(each).some((term) => isMeant(each, term, pod, around) && isSamePlace(node, other, term.topologyKey)),
      );
  if (around.nodes.some(isRepelled)) return misfit("node(s) didn't satisfy existing pods anti-affinity rules");
  const uneven = "node(s) didn't match pod topology spread constraints";
  if (spreadsOf(pod).some(({ topologyKey }) => placeOf(node, topologyKey) === undefined))
    return { reason: `${uneven} (missing required label)`, isForPods: false };
  return spreadsOf(pod).every((spread) => isEven(pod, spread, node, around)) ? undefined : misfit(uneven);
}

const placeOf = ({ metadata }: NodeView, key: string): string | undefined => ownMember(metadata.labels, key);

const isSamePlace = (a: NodeView, b: NodeView, key: string): boolean =>
  placeOf(a, key) !== undefined && placeOf(a, key) === placeOf(b, key);

const neighboursOf = (node: NodeView, key: string, { nodes, podsOn }: Surroundings): PodView[] =>
  nodes.filter((each) => isSamePlace(node, each, key)).flatMap(podsOn);

/** Reports whether one pod's affinity term matches another pod. */
function isMeant(from: PodView, term: Term, other: PodView, { namespaceLabels }: Surroundings): boolean {
  const { namespace = "" } = other.metadata;
  const { namespaces = [], namespaceSelector, labelSelector } = term;
  const isNamed =
    namespaces.length === 0 && !namespaceSelector
      ? namespace === from.metadata.namespace
      : namespaces.includes(namespace);
  const isSelected =
    namespaceSelector !== undefined &&
    labelSelectorFrom(namespaceSelector).matches(namespaceLabels?.get(namespace) ?? {});
  return (isNamed || isSelected) && selects(labelSelector, other);
}

const selects = (selector: Selector | undefined, { metadata }: PodView): boolean =>
  selector !== undefined && labelSelectorFrom(selector).matches(metadata.labels);

/**
 * Reports whether a node is near the pods that an affinity term selects. The first pod of a group of pods that must run together may
 * start on any node.
 */
function isNear(pod: PodView, term: Term, node: NodeView, around: Surroundings): boolean {
  if (placeOf(node, term.topologyKey) === undefined) return false;
  if (neighboursOf(node, term.topologyKey, around).some((each) => isMeant(pod, term, each, around))) return true;
  const isFirst = !around.nodes.flatMap(around.podsOn).some((each) => isMeant(pod, term, each, around));
  return isFirst && isMeant(pod, term, pod, around);
}

function isEven(pod: PodView, spread: Spread, node: NodeView, { nodes, podsOn }: Surroundings): boolean {
  const { topologyKey, maxSkew, minDomains = 1, labelSelector, matchLabelKeys = [] } = spread;
  const ownLabels = Object.entries(pod.metadata.labels ?? {}).filter(([key]) => matchLabelKeys.includes(key));
  const counts = (other: PodView): boolean =>
    other.metadata.namespace === pod.metadata.namespace &&
    other.metadata.deletionTimestamp === undefined &&
    selects(labelSelector, other) &&
    ownLabels.every(([key, value]) => ownMember(other.metadata.labels, key) === value);
  const amounts = new Map<string, number>();
  for (const each of nodes) {
    const place = placeOf(each, topologyKey);
    if (place === undefined || (spread.nodeAffinityPolicy !== "Ignore" && !matchesNodeAffinity(pod, each))) continue;
    amounts.set(place, (amounts.get(place) ?? 0) + podsOn(each).filter(counts).length);
  }
  const least = amounts.size < minDomains ? 0 : Math.min(...amounts.values());
  const here = amounts.get(placeOf(node, topologyKey) ?? "") ?? 0;
  return here + (counts(pod) ? 1 : 0) - least <= maxSkew;
}
