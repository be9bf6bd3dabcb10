import { asReconciler, Client, controllerManagedBy, type Manager } from "kubewright";
import { ConfigMap, Deployment } from "kubewright/kinds";
import type { PlantedBug } from "./bug.ts";
import { reconcileSite, Site, siteController } from "./site.ts";

const leaderElection = { id: "sites", namespace: "default" };

/** Bugs of programs that run as several replicas, of which one leads. */
export const replicaBugs: Readonly<Record<string, PlantedBug>> = {
  "not-elected": {
    mistake: "a second replica works without being elected",
    fault: "intermediate states",
    checks: ["fenced"],
    options: { leaderElection },
    setup: (manager) => {
      controllerManagedBy(manager)
        .for(Site)
        .owns(Deployment)
        .withOptions({ needLeaderElection: false })
        .complete(asReconciler(Site, reconcileSite));
    },
  },
  "measures-twice": {
    mistake: "each replica does the same slow work outside of the cluster",
    fault: "intermediate states",
    checks: ["fenced"],
    options: { leaderElection },
    setup: (manager) => {
      siteController(reconcileSite)(manager);
      controllerManagedBy(manager)
        .for(Site)
        .named("measurement")
        .withOptions({ needLeaderElection: false })
        .complete(async () => {
          await manager.clock.sleep(200);
        });
    },
  },
  "second-loop": {
    mistake: "a loop of its own writes whether or not this process leads",
    fault: "intermediate states",
    checks: ["fenced"],
    options: { leaderElection },
    setup: (manager) => {
      siteController(reconcileSite)(manager);
      const client = new Client({ connection: manager.unfenced.apiReader.connection, fieldOwner: "beat" });
      void beat(manager, client);
    },
  },
  "unfenced-writes": {
    mistake: "works for a long time, with a client that still writes when the process no longer leads",
    fault: "time",
    checks: ["fenced"],
    options: { leaderElection },
    setup: (manager) => {
      const { client } = manager.unfenced;
      siteController(async (site, context) => {
        await manager.clock.sleep(60_000);
        await reconcileSite(site, { ...context, client });
      })(manager);
    },
  },
};

async function beat(manager: Manager, client: Client): Promise<void> {
  const metadata = { namespace: "default", name: "beat" };
  for (let beats = 0; ; beats++) {
    await manager.clock.sleep(15_000);
    await client.apply(ConfigMap, { metadata, data: { beats: String(beats) } }, { force: true }).catch(() => undefined);
  }
}
