import { deployments } from "../cluster/api-resource.ts";
import type { StoredObject } from "../cluster/stored-object.ts";
import { site, stageAnnotation } from "../cluster/workloads.ts";
import type { World } from "../world.ts";
import type { Actions } from "./action.ts";
import { called, edit, rulesOf } from "./rule-actions.ts";

const releaseAnnotation = "sdewan.akraino.org/release";

/** Actions on CNFs with stages. They are not possible in a world without stages. */
export const stageActions: Actions = {
  releaseRule: [
    4,
    async (world, dice) => {
      const rule = dice.one(rulesOf(world).filter(({ status }) => status?.stageWait !== undefined));
      if (rule) await release(world, rule);
      return rule && `releases ${called(rule)}`;
    },
  ],
  restartInSoak: [
    5,
    async (world, dice) => {
      if (!rulesOf(world).some(({ status }) => status?.stageWait !== undefined)) return undefined;
      await world.advance(5_000 + dice.below(50_000));
      const process = dice.one(world.processes);
      if (dice.chance(0.5)) process?.kill();
      else process?.stop();
      return process && "a process of the operator ends while changes wait for a stage";
    },
  ],
  waitForStages: [
    6,
    async (world) => {
      if (!world.options.isStaged) return undefined;
      await world.advance(90_000);
      return "nothing happens for longer than the soak time";
    },
  ],
  changeStage: [
    3,
    async (world, dice) => {
      if (!world.options.isStaged) return undefined;
      const deployment = dice.one(world.store.list(deployments));
      const stage = dice.one(["0", "1", "2", "ten", null]);
      if (!deployment) return undefined;
      const { name } = deployment.metadata;
      await world.store.patch(
        deployments,
        { namespace: site, name },
        { metadata: { annotations: { [stageAnnotation]: stage } } },
      );
      return `the stage of the Deployment ${name} becomes ${stage}`;
    },
  ],
};

async function release(world: World, rule: StoredObject): Promise<void> {
  world.released.add(rule.metadata.uid ?? "");
  await edit(world, rule, { metadata: { annotations: { [releaseAnnotation]: "now" } } });
}

/** Corrects malformed stages, and releases the changes that stopped, because a rule of an earlier stage has no effect. */
export async function goOn(world: World): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { metadata } of world.store.list(deployments)) {
    if (/^[0-9]$/.test(metadata.annotations?.[stageAnnotation] ?? "0")) continue;
    const change = { metadata: { annotations: { [stageAnnotation]: "1" } } };
    await world.store.patch(deployments, { namespace: site, name: metadata.name }, change);
    lines.push(`corrects the stage of the Deployment ${metadata.name}`);
  }
  for (const rule of rulesOf(world)) {
    const isStopped = String(rule.status?.message).includes("Stopped before stage");
    if (!isStopped || rule.metadata.annotations?.[releaseAnnotation] !== undefined) continue;
    await release(world, rule);
    lines.push(`releases ${called(rule)}`);
  }
  return lines;
}
