import { called } from "../actions/rule-actions.ts";
import { pods, resourceOf } from "../cluster/api-resource.ts";
import type { StoredObject } from "../cluster/stored-object.ts";
import { isReady } from "../cluster/workloads.ts";
import { type InterfaceSpec, wishOf } from "../users/interface-template.ts";
import type { World } from "../world.ts";
import { readyOf } from "./statuses.ts";

const specOf = ({ spec }: StoredObject): InterfaceSpec => spec as unknown as InterfaceSpec;

/** Returns interfaces in the wrong state, and CniInterfaces with a wrong status. */
export function wrongInterfaces(world: World): string[] {
  const all = world.store.list(resourceOf("CniInterface"));
  return all.flatMap((object) => {
    const why = wrongIn(world, object, all);
    return why === undefined ? [] : [`${called(object)}: ${why}; its status is ${JSON.stringify(object.status)}`];
  });
}

function wrongIn(world: World, object: StoredObject, all: readonly StoredObject[]): string | undefined {
  const { name } = specOf(object);
  const wish = wishOf(specOf(object));
  const { status: shown } = object.status ?? {};
  const { status: ready, observedGeneration } = readyOf(object) ?? {};
  if (observedGeneration !== object.metadata.generation) return "its status has another generation";
  const [first] = selectedBy(world, object);
  const cnf = first && world.workloads.cnfIn(first);
  const actual = first && cnf?.simulator.kernel.interfaces.find((each) => each.name === name);
  if (!actual) return shown === "Not Available" && ready === "False" ? undefined : `there is no visible ${name}`;
  const state = actual.up ? "UP" : "DOWN";
  if (shown !== state) return `${name} is ${state}`;
  const isAsWanted = wish === undefined || wish === state;
  const rivals = all.filter((other) => isBefore(other, object) && specOf(other).name === name);
  const isElses = rivals.some((other) => wishOf(specOf(other)) && selectedBy(world, other)[0] === first);
  const isWayIn = name === "eth0" && wish === "DOWN";
  if (!isAsWanted && !isElses && !isWayIn) return `${name} is ${state}, but should be ${wish}`;
  if (isWayIn && state === "DOWN") return "the CNF's own address is down";
  return ready === (isAsWanted ? "True" : "False") ? undefined : `Ready is ${ready}`;
}

/** Returns the selected ready pods, by name. */
const selectedBy = ({ store }: World, object: StoredObject): readonly StoredObject[] =>
  store
    .list(pods, object.metadata.namespace)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter((pod) => pod.status?.phase === "Running" && isReady(pod))
    .filter(({ metadata }) =>
      Object.entries(specOf(object).cnfSelector.matchLabels).every(([key, value]) => metadata.labels?.[key] === value),
    )
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));

function isBefore({ metadata: a }: StoredObject, { metadata: b }: StoredObject): boolean {
  if (a.uid === b.uid) return false;
  return a.creationTimestamp === b.creationTimestamp ? a.name < b.name : a.creationTimestamp < b.creationTimestamp;
}
