import { called, rulesOf } from "../actions/rule-actions.ts";
import { deployments } from "../cluster/api-resource.ts";
import type { StoredObject } from "../cluster/stored-object.ts";
import { site, stageAnnotation } from "../cluster/workloads.ts";
import type { World } from "../world.ts";
import { isPaused, purposeOf } from "./claims.ts";
import { readyOf } from "./statuses.ts";

interface Entry {
  readonly stage: number;
  readonly generation: number;
  readonly soakingSince?: string;
}

/** Soak time of the operator's processes, less the precision of times in statuses. */
const soakMs = 59_000;
/** Maximum age of the operator's view of the cluster: it may not know a later change yet. */
const unseenMs = 30_000;

const entriesOf = ({ status }: StoredObject): readonly Entry[] => (status?.stages ?? []) as readonly Entry[];

/**
 * Called when an object was changed. Reports a change that begins at a stage although a rule of an earlier stage is not in sync, or has not
 * been so for the soak time.
 */
export function noteStages(world: World, before: StoredObject, after: StoredObject): void {
  if (after.metadata.deletionTimestamp !== undefined) return;
  for (const { stage, generation } of entriesOf(after)) {
    const known = entriesOf(before).find((entry) => entry.stage === stage);
    const had = known ? known.generation : before.status?.appliedGeneration;
    if (generation === 0 || had === generation || world.released.delete(after.metadata.uid ?? "")) continue;
    for (const earlier of unready(world, stage))
      world.watchman.note(
        `${called(after)} begins at stage ${stage} although ${called(earlier)} is not ready at an earlier one: ${JSON.stringify(earlier.status)}`,
      );
  }
}

/** Returns the rules of earlier stages that are not in sync, or not for long enough. */
function unready(world: World, stage: number): readonly StoredObject[] {
  const nowMs = world.clock.now();
  const cnfs = world.store.list(deployments).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const earlier = new Map(
    cnfs.flatMap((deployment) => {
      const text = deployment.metadata.annotations?.[stageAnnotation];
      const isEarlier = text !== undefined && /^[0-9]$/.test(text) && Number(text) < stage;
      return isEarlier && Number(deployment.spec?.replicas) > 0 ? [[purposeOf(deployment), Number(text)]] : [];
    }),
  );
  return rulesOf(world).filter((rule) => {
    const of = earlier.get(purposeOf(rule));
    if (of === undefined || rule.metadata.deletionTimestamp !== undefined || isPaused(rule)) return false;
    if (rule.metadata.namespace !== site && world.options.cnfNamespaces !== "*") return false;
    if (rule.status?.state === "Idle" || readyOf(rule)?.reason === "NameTaken") return false;
    const entry = entriesOf(rule).find((each) => each.stage === of);
    if (!entry || (world.changedMs.get(rule.metadata.uid ?? "") ?? 0) > nowMs - unseenMs) return false;
    const since = entry.soakingSince === undefined ? Number.POSITIVE_INFINITY : Date.parse(entry.soakingSince);
    return entry.generation !== rule.metadata.generation || since > nowMs - soakMs;
  });
}
