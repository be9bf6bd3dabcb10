import { deployments, pods } from "../cluster/api-resource.ts";
import type { StoredObject } from "../cluster/stored-object.ts";
import { purposeLabel, replicasOf, site } from "../cluster/workloads.ts";
import { keyOf } from "../users/keys.ts";
import type { World } from "../world.ts";
import type { Actions } from "./action.ts";

const deploymentsOf = ({ store }: World): readonly StoredObject[] => store.list(deployments);

const cnfPodsOf = (world: World): readonly StoredObject[] =>
  deploymentsOf(world)
    .flatMap((deployment) => world.workloads.podsOf(deployment))
    .filter(({ status }) => status?.phase === "Running");

const named = ({ metadata }: StoredObject): string => metadata.name;

/** Reports whether the pods of a Deployment have the label of another purpose. */
function isRelabelled({ metadata, spec }: StoredObject): boolean {
  const { template } = (spec ?? {}) as { template?: { metadata?: { labels?: Readonly<Record<string, string>> } } };
  return metadata.labels?.[purposeLabel] !== template?.metadata?.labels?.[purposeLabel];
}

/** Creates one CNF for each of the usual purposes. */
export async function restoreDeployments(world: World): Promise<string[]> {
  const descriptions: string[] = [];
  for (const purpose of ["edge", "hub"]) {
    const [first, ...others] = deploymentsOf(world).filter(
      ({ metadata }) => metadata.labels?.[purposeLabel] === purpose,
    );
    for (const other of others) {
      await world.workloads.remove(other);
      descriptions.push(`removes the Deployment ${named(other)}`);
    }
    if (first && replicasOf(first) === 0) {
      await world.workloads.scale(first, 1);
      descriptions.push(`scales ${named(first)} to 1`);
    }
  }
  return descriptions;
}

export const clusterActions: Actions = {
  replacePod: [
    5,
    async (world, dice) => {
      const pod = dice.one(cnfPodsOf(world));
      if (pod) await world.workloads.replace(pod);
      return pod && `pod ${named(pod)} is replaced`;
    },
  ],
  restartContainer: [
    6,
    async (world, dice) => {
      const pod = dice.one(cnfPodsOf(world));
      if (pod) await world.workloads.restartContainer(pod);
      return pod && `the CNF in pod ${named(pod)} restarts`;
    },
  ],
  rollOut: [
    3,
    async (world, dice) => {
      const deployment = dice.one(deploymentsOf(world));
      if (deployment) await world.workloads.rollOut(deployment);
      return deployment && `${named(deployment)} is rolled out again`;
    },
  ],
  scale: [
    3,
    async (world, dice) => {
      const deployment = dice.one(deploymentsOf(world));
      const replicas = dice.below(4);
      if (deployment) await world.workloads.scale(deployment, replicas);
      return deployment && `${named(deployment)} is scaled to ${replicas}`;
    },
  ],
  relabelDeployment: [
    3,
    async (world, dice) => {
      const deployment = dice.one(deploymentsOf(world));
      const purpose = dice.one(["edge", "hub", "spare"]);
      if (!deployment) return undefined;
      // If the purpose changes again, nothing can find the objects that the pods got for a purpose other than their own label, so the pods
      // are new then.
      if (isRelabelled(deployment)) await world.workloads.rollOut(deployment);
      const change = { metadata: { labels: { [purposeLabel]: purpose } } };
      await world.store.patch(deployments, { namespace: site, name: named(deployment) }, change);
      return `the purpose of the Deployment ${named(deployment)} becomes ${purpose}`;
    },
  ],
  removeDeployment: [
    2,
    async (world, dice) => {
      const deployment = dice.one(deploymentsOf(world));
      if (!deployment) return undefined;
      const orphan = dice.chance(0.3);
      await world.workloads.remove(deployment, { orphan });
      return `the Deployment ${named(deployment)} is deleted${orphan ? ", its pods stay" : ""}`;
    },
  ],
  addDeployment: [
    3,
    async (world, dice) => {
      const purpose = dice.one(["edge", "hub"]);
      const name = `${purpose}-${dice.below(1_000)}`;
      if (deploymentsOf(world).some((each) => named(each) === name)) return undefined;
      await world.workloads.deploy(name, purpose, 1 + dice.below(2));
      return `a Deployment ${name} for ${purpose} is created`;
    },
  ],
  changePassword: [
    2,
    async (world, dice) => {
      world.password = keyOf(`root-${dice.below(1_000)}`);
      for (const cnf of world.network.cnfs) {
        cnf.password = world.password;
        cnf.simulator.expireSessions();
      }
      world.clock.after(dice.one([0, 4_000]), () => void world.putSecret("account", { password: world.password }));
      return "the CNFs get another password";
    },
  ],
  addApplicationPod: [
    3,
    async (world, dice) => {
      const pod = await world.workloads.addApplicationPod(dice.one(["shop", "till"]));
      return `pod ${named(pod)} is created`;
    },
  ],
  changeApplicationPod: [
    3,
    async (world, dice) => {
      const pod = dice.one(world.store.list(pods).filter(({ metadata }) => metadata.labels?.app !== undefined));
      if (!pod) return undefined;
      if (dice.chance(0.5)) {
        await world.workloads.removePod(pod);
        return `pod ${named(pod)} is deleted`;
      }
      const app = dice.one(["shop", "till"]);
      await world.store.patch(pods, { namespace: site, name: named(pod) }, { metadata: { labels: { app } } });
      return `the app of pod ${named(pod)} becomes ${app}`;
    },
  ],
};
