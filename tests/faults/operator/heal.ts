import { cnfName } from "sdewan-operator";
import { restoreDeployments } from "./actions/cluster-actions.ts";
import { called, putReferences, remove, resumeAll, rulesOf, usersRulesOf } from "./actions/rule-actions.ts";
import { goOn } from "./actions/stage-actions.ts";
import { type Claim, claimsIn, purposeOf } from "./checks/claims.ts";
import { retryRolledBack } from "./checks/roll-backs.ts";
import type { StoredObject } from "./cluster/stored-object.ts";
import { dnsNames } from "./users/composite-templates.ts";
import { templateOf } from "./users/rule-templates.ts";
import type { World } from "./world.ts";

/** Ends all faults in the world, and performs the corrections that only users can make. */
export async function heal(world: World): Promise<void> {
  world.log("the faults are over");
  world.api.heal();
  for (const cnf of world.network.cnfs) cnf.heal();
  await world.putSecret("account", { password: world.password });
  for (const cnf of world.network.cnfs) cnf.password = world.password;
  for (const [name, network] of dnsNames)
    if (["SERVFAIL", "hangs"].includes(String(world.dns.answerTo(name)))) world.dns.set(name, [`${network}.77`]);
  world.replicas = 1;
  const [first, ...others] = world.processes;
  if (first) for (const other of others) other.stop();
  const lines = [...(await restoreDeployments(world)), await resumeAll(world), await retryRolledBack(world)];
  for (const line of lines) if (line) world.log(line);
  for (const rule of usersRulesOf(world)) {
    const made = await putReferences(world, rule);
    if (made.length > 0) world.log(`creates objects that ${called(rule)} refers to: ${made.join(", ")}`);
  }
  await removeDangling(world);
}

/** Deletes rules that refer to objects that their CNF refuses, and releases changes that stopped before a stage. */
export async function removeDangling(world: World): Promise<void> {
  for (const line of await goOn(world)) world.log(line);
  await removeLeaving(world);
  const claims = claimsIn(world);
  // An object being deleted stays until nobody refers to it, even if others wait for its name.
  const isThere = (by: Claim, kind: string, name: string): boolean => {
    const meant = claims.filter(
      ({ rule, purpose }) => rule.kind === kind && rule.metadata.name === name && purpose === by.purpose,
    );
    return meant.length > 0 && meant.every(({ rule }) => rule.metadata.deletionTimestamp === undefined);
  };
  for (const claim of claims) {
    const { rule, template } = claim;
    if (rule.metadata.deletionTimestamp !== undefined) continue;
    if ((template.refers?.(rule.spec ?? {}) ?? []).every(([kind, name]) => isThere(claim, kind, name))) continue;
    world.log(`deletes ${called(rule)}, which refers to a missing object`);
    await remove(world, rule);
  }
}

/**
 * An object that is deleted or moves waits for those that refer to it, also on pods that a Deployment left behind: these have the rules as
 * they were when the Deployment was deleted, regardless of later changes.
 */
async function removeLeaving(world: World): Promise<void> {
  const leaving = rulesOf(world).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  const moving = rulesOf(world).filter((rule) => {
    const applied = rule.status?.appliedPurpose;
    return applied !== undefined && applied !== purposeOf(rule) && rule.status?.state !== "Idle";
  });
  if (leaving.length + moving.length === 0) return;
  const isLeaving = (kind: string, name: string): boolean =>
    leaving.some((each) => each.kind === kind && each.metadata.name === name);
  const leftBehind = world.workloads.leftBehind();
  for (const rule of usersRulesOf(world)) {
    const { refers, path } = templateOf(rule.kind);
    const references = refers?.(rule.spec ?? {}) ?? [];
    const kinds = new Set(references.map(([kind]) => kind));
    const names = [...leaving, ...moving].filter(({ kind }) => kinds.has(kind)).map(nameOf);
    const isHeld = leftBehind
      .filter((pod) => purposeOf(pod) === purposeOf(rule))
      .flatMap((pod) => world.workloads.cnfIn(pod)?.person.holdings(path).get(nameOf(rule)) ?? [])
      .some((object) =>
        Object.values(object)
          .flat()
          .some((value) => names.includes(String(value))),
      );
    if (!isHeld && !references.some(([kind, name]) => isLeaving(kind, name))) continue;
    world.log(`deletes ${called(rule)}, which refers to a deleted object`);
    await remove(world, rule);
  }
}

const nameOf = ({ kind, metadata }: StoredObject): string => cnfName(kind, metadata.name);
