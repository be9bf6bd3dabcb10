import { type DeepReadonly, Quantity } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";

/** Quantities in each resource's base unit, keyed by resource name. */
export type Amounts = ReadonlyMap<string, number>;

type Container = DeepReadonly<Pod>["spec"]["containers"][number];

/**
 * Returns the resources that a pod requests: the total for its containers and sidecars, or the maximum for its init
 * containers if that is greater. Pod-level requests override both. The pod's overhead is added.
 *
 * @see kubernetes component-helpers/resource PodRequests
 */
export function podRequests({ spec }: DeepReadonly<Pod>): Amounts {
  let sum: Amounts = new Map();
  let mostForInit: Amounts = new Map();
  for (const each of spec.initContainers ?? []) {
    if (each.restartPolicy === "Always") {
      sum = added(sum, requestsOf(each));
      mostForInit = larger(mostForInit, sum);
    } else mostForInit = larger(mostForInit, added(sum, requestsOf(each)));
  }
  for (const each of spec.containers) sum = added(sum, requestsOf(each));
  const own = [...amounts(spec.resources?.requests)].filter(([name]) => isPodLevel(name));
  return added(new Map([...larger(sum, mostForInit), ...own]), amounts(spec.overhead));
}

const isPodLevel = (name: string): boolean => name === "cpu" || name === "memory" || name.startsWith("hugepages-");

const requestsOf = ({ resources }: Container): Amounts => amounts({ ...resources?.limits, ...resources?.requests });

export function amounts(quantities: Readonly<Record<string, string | number>> | undefined): Amounts {
  return new Map(Object.entries(quantities ?? {}).map(([name, text]) => [name, Quantity.parse(text).toNumber()]));
}

export const added = (a: Amounts, b: Amounts): Amounts => merged(a, b, (x, y) => x + y);

const larger = (a: Amounts, b: Amounts): Amounts => merged(a, b, Math.max);

function merged(a: Amounts, b: Amounts, join: (x: number, y: number) => number): Amounts {
  const all = new Map(a);
  for (const [name, amount] of b) all.set(name, join(all.get(name) ?? 0, amount));
  return all;
}
