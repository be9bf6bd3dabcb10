import { called, edit, rulesOf } from "../actions/rule-actions.ts";
import type { StoredObject } from "../cluster/stored-object.ts";
import type { World } from "../world.ts";
import { readyOf } from "./statuses.ts";

/** Time in which changes that are in progress are confirmed or rolled back. */
const endMs = 90_000;
/** Time in which nothing that was rolled back may be tried again. */
const holdMs = 90_000;
const retryAnnotation = "sdewan.akraino.org/retry";

const isRolledBack = (rule: StoredObject): boolean => readyOf(rule)?.reason === "RolledBack";

const rolledBack = (world: World): readonly StoredObject[] => rulesOf(world).filter(isRolledBack);

/** Returns rules that are tried again after a roll-back, although nobody changed anything, and only the operator restarted. */
export async function wronglyTried(world: World): Promise<string[]> {
  if (!world.options.confirms) return [];
  world.api.heal();
  for (const cnf of world.network.cnfs) cnf.heal();
  await world.advance(endMs);
  const held = rolledBack(world);
  if (held.length > 0) world.log(`rolled back: ${held.map(called).join(", ")}`);
  for (const process of world.processes) process.kill();
  await world.advance(holdMs);
  const now = new Map(rulesOf(world).map((rule) => [rule.metadata.uid, rule]));
  return held.flatMap((rule) => {
    const status = now.get(rule.metadata.uid)?.status;
    return status?.state === "In Sync"
      ? [`${called(rule)} was rolled back, and tried again: ${JSON.stringify(status)}`]
      : [];
  });
}

/**
 * Lets the operator try everything again that was rolled back, like a user who corrected the cause.
 *
 * @param retried uids of the rules for which this was done, and is not done again
 */
export async function retryRolledBack(world: World, retried = new Set<string>()): Promise<string | undefined> {
  const rules = rolledBack(world).filter(({ metadata }) => !retried.has(metadata.uid ?? ""));
  for (const rule of rules) {
    retried.add(rule.metadata.uid ?? "");
    await edit(world, rule, { metadata: { annotations: { [retryAnnotation]: String(world.clock.monotonic()) } } });
  }
  return rules.length > 0 ? `tries again: ${rules.map(called).join(", ")}` : undefined;
}
