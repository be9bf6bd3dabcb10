import { called, rulesOf } from "../actions/rule-actions.ts";
import { customResources, events, resourceOf } from "../cluster/api-resource.ts";
import type { StoredObject } from "../cluster/stored-object.ts";
import { replicasOf } from "../cluster/workloads.ts";
import { holdsKey } from "../users/keys.ts";
import type { World } from "../world.ts";
import { type Claim, claimsIn, contested, deploymentFor, isPaused, isUndecided, younger } from "./claims.ts";

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly observedGeneration?: number;
}

export const readyOf = ({ status }: StoredObject): Condition | undefined =>
  ((status?.conditions ?? []) as readonly Condition[]).find(({ type }) => type === "Ready");

/** Returns rules with a wrong status. */
export function wrongStatuses(world: World): string[] {
  const claims = claimsIn(world);
  const losers = younger(claims);
  const disputed = contested(claims);
  return rulesOf(world).flatMap((rule) => {
    const claim = claims.find((each) => each.rule === rule);
    const why = wrongIn(world, rule, {
      isLoser: claim !== undefined && losers.has(claim),
      isOpen: claim !== undefined && disputed.has(claim) && isOpen(claim, claims),
    });
    return why === undefined ? [] : [`${called(rule)}: ${why}; its status is ${JSON.stringify(rule.status)}`];
  });
}

/** Reports whether both results are acceptable, or an older claim stays ahead. */
const isOpen = (claim: Claim, claims: readonly Claim[]): boolean => isUndecided(claim, claims);

function wrongIn(
  world: World,
  rule: StoredObject,
  { isLoser, isOpen }: { readonly isLoser: boolean; readonly isOpen: boolean },
): string | undefined {
  const { generation, deletionTimestamp } = rule.metadata;
  if (deletionTimestamp !== undefined) return "it still exists after its deletion";
  const { state, appliedGeneration, observedGeneration, message } = rule.status ?? {};
  const { reason, status } = readyOf(rule) ?? {};
  const isUpToDate = observedGeneration === generation;
  if (isPaused(rule)) return reason === "Paused" ? undefined : "it is paused";
  const isRefused = state === "Trying to apply" && reason === "NameTaken" && isUpToDate;
  const deployment = deploymentFor(world, rule);
  if (!deployment || replicasOf(deployment) === 0)
    return (state === "Idle" && isUpToDate) || (isLoser && isRefused) ? undefined : "there is no CNF for it";
  const isInForce =
    state === "In Sync" &&
    appliedGeneration === generation &&
    isUpToDate &&
    status === "True" &&
    (message === undefined || message === null);
  if (isOpen) return isInForce || isRefused ? undefined : "it is neither in sync nor refused";
  if (isLoser) return isRefused ? undefined : "an older one has its name";
  return isInForce ? undefined : "it should be in sync";
}

/** Returns keys in public data: statuses, annotations, Events. */
export function shownKeys({ store }: World): string[] {
  return [...customResources, events].flatMap((resource) =>
    store.list(resource).flatMap((object) => {
      const { spec: _spec, ...shown } = object;
      const text = JSON.stringify(resource === events ? object : shown);
      return holdsKey(text) ? [`a key is in ${called(object)}: ${text.slice(0, 2_000)}`] : [];
    }),
  );
}

/** Returns the errors of the CNFStatus. */
export function wrongCnfStatus(world: World): string[] {
  const [status, ...others] = world.store.list(resourceOf("CNFStatus"));
  if (!status || others.length > 0) return ["there is not exactly one CNFStatus"];
  const entries = (status.status?.information ?? []) as readonly { readonly name: string; readonly status: string }[];
  const silent = entries.filter((entry) => entry.status === "Not Available");
  return silent.map(({ name }) => `${name} is Not Available in the CNFStatus`);
}
