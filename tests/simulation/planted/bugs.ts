import {
  addFinalizer,
  asReconciler,
  Client,
  controllerManagedBy,
  controllerReference,
  ignoreAlreadyExists,
  ignoreNotFound,
  isConflict,
  keyOf,
  type Manager,
  mutableCopy,
  type ReconcileContext,
  removeFinalizer,
  rfc3339,
  TerminalError,
} from "kubewright";
import { ConfigMap, Deployment, Secret } from "kubewright/kinds";
import type { PlantedBug } from "./bug.ts";
import { applyDeployment, deploymentOf, reconcileSite, Site, siteController } from "./site.ts";

// The state of modules, which is lost with the process.
const known = new Map<string, number>();
const startedMs = Date.now();

const leaderElection = { id: "sites", namespace: "default" };
const finalizer = "shop.example.com/cleanup";

/** Returns the settings of a Site, which never change. */
const settingsOf = (site: Site) => ({
  metadata: {
    namespace: site.metadata.namespace ?? "",
    name: `${site.metadata.name}-settings`,
    labels: { site: site.metadata.name },
    ownerReferences: [controllerReference(site)],
  },
  data: { mode: "usual" },
});

/** Returns the settings of a Site without an owner reference, so that nobody else deletes them. */
const looseSettingsOf = (site: Site) => {
  const { metadata, data } = settingsOf(site);
  return { metadata: { ...metadata, ownerReferences: [] }, data };
};

/** Creates a Deployment whose name the server generates. */
const createGenerated = (site: Site, { client }: ReconcileContext) => {
  const { metadata, spec } = deploymentOf(site);
  const { name, ...others } = metadata;
  return client.create(Deployment, { metadata: { ...others, generateName: `${name}-` }, spec });
};

/** Returns the Deployments that are labelled as belonging to a Site. */
const deploymentsOf = ({ metadata: { name, namespace } }: Site, { client }: ReconcileContext) =>
  client.list(Deployment, { namespace, labels: { site: name } });

/** The bugs, by name. Apart from its mistake, each program is sound as far as the bug's checks go. */
export const bugs: Readonly<Record<string, PlantedBug>> = {
  // Killed between two writes.
  "generate-name-in-status": {
    mistake: "creates a Deployment with a generated name, and then records the name in the status",
    fault: "intermediate",
    checks: ["history"],
    setup: siteController(async (site, context) => {
      const name = site.status?.deployment ?? "none";
      const found = await context.client.get(Deployment, { ...keyed(site), name }).catch(ignoreNotFound);
      if (found) return void (await applyDeployment(site, context, name));
      const created = await createGenerated(site, context);
      await context.client.status.patch(Site, site, { deployment: created.metadata.name });
    }),
  },
  "done-before-it-is-done": {
    mistake: "records that the settings were created, and then creates them",
    fault: "intermediate",
    checks: ["history"],
    setup: siteController(async (site, context) => {
      await reconcileSite(site, context);
      if (site.status?.phase === "Done") return;
      await context.client.status.patch(Site, site, { phase: "Done" });
      await context.client.create(ConfigMap, settingsOf(site)).catch(ignoreAlreadyExists);
    }),
  },
  "first-part-means-all": {
    mistake: "takes the existence of the Deployment for the existence of everything",
    fault: "intermediate",
    checks: ["history"],
    setup: siteController(async (site, context) => {
      const found = await context.client.get(Deployment, keyOf(site)).catch(ignoreNotFound);
      await reconcileSite(site, context);
      if (!found) await context.client.create(ConfigMap, settingsOf(site)).catch(ignoreAlreadyExists);
    }),
  },
  "finalizer-removed-first": {
    mistake: "removes the finalizer before it deletes what has no owner reference",
    fault: "intermediate",
    checks: ["deletion"],
    setup: siteController(async (site, context) => {
      const { client } = context;
      const settings = looseSettingsOf(site);
      const draft = mutableCopy(site);
      if (site.metadata.deletionTimestamp !== undefined) {
        if (!removeFinalizer(draft, finalizer)) return;
        await client.update(Site, draft);
        return client.delete(ConfigMap, keyOf(settings)).catch(ignoreNotFound);
      }
      if (addFinalizer(draft, finalizer)) await client.update(Site, draft);
      await client.apply(ConfigMap, settings, { force: true });
      return reconcileSite(site, context);
    }),
  },
  "status-from-memory": {
    mistake: "reports a count that only this process knows",
    fault: "intermediate",
    checks: ["idempotent"],
    setup: siteController(async (site, context) => {
      const id = `${site.metadata.uid} ${site.metadata.generation}`;
      if (!known.has(id)) known.set(id, known.size + 1);
      await context.client.status.patch(Site, site, { count: known.get(id) ?? 0 });
    }),
  },
  "start-time-in-template": {
    mistake: "writes the time of its start into the pod template, so that each restart replaces all pods",
    fault: "intermediate",
    checks: ["idempotent"],
    setup: siteController(async (site, { client }) => {
      const desired = deploymentOf(site);
      const annotations = { started: rfc3339(startedMs) };
      const template = { ...desired.spec.template, metadata: { ...desired.spec.template.metadata, annotations } };
      await client.apply(Deployment, { ...desired, spec: { ...desired.spec, template } }, { force: true });
    }),
  },
  // Reads what was true before.
  "create-before-look": {
    mistake: "creates a Deployment with a generated name if the cache contains none",
    fault: "stale",
    checks: ["history"],
    setup: siteController(async (site, context) => {
      const [found] = await deploymentsOf(site, context);
      if (found) await applyDeployment(site, context, found.metadata.name);
      else await createGenerated(site, context);
    }),
  },
  "delete-by-stale-read": {
    mistake: "deletes settings whose Site is not in the cache, and creates them only once",
    fault: "stale",
    checks: ["history"],
    setup: (manager) => {
      siteController(async (site, context) => {
        await reconcileSite(site, context);
        if (site.status?.phase === "Created") return;
        await context.client.create(ConfigMap, settingsOf(site)).catch(ignoreAlreadyExists);
        await context.client.status.patch(Site, site, { phase: "Created" });
      })(manager);
      const reconcile = asReconciler(ConfigMap, async (settings, { client }) => {
        const { namespace = "", labels } = settings.metadata;
        if (labels?.site === undefined) return;
        const site = await client.get(Site, { namespace, name: labels.site }).catch(ignoreNotFound);
        if (!site) await client.delete(ConfigMap, settings).catch(ignoreNotFound);
      });
      controllerManagedBy(manager).for(ConfigMap).named("settings").complete(reconcile);
    },
  },
  "released-by-stale-read": {
    mistake: "removes the finalizer when the cache contains no settings to delete",
    fault: "stale",
    checks: ["deletion"],
    setup: siteController(async (site, context) => {
      const { client } = context;
      const settings = looseSettingsOf(site);
      const draft = mutableCopy(site);
      if (site.metadata.deletionTimestamp === undefined) {
        if (addFinalizer(draft, finalizer)) await client.update(Site, draft);
        await client.apply(ConfigMap, settings, { force: true });
        return reconcileSite(site, context);
      }
      const found = await client.get(ConfigMap, keyOf(settings)).catch(ignoreNotFound);
      if (found) await client.delete(ConfigMap, found).catch(ignoreNotFound);
      else if (removeFinalizer(draft, finalizer)) await client.update(Site, draft);
      return { requeueAfterMs: 15_000 };
    }),
  },
  // Does not see every event.
  "known-by-name": {
    mistake: "remembers by name and generation which Sites have their Deployment",
    fault: "unobserved",
    checks: ["history"],
    setup: siteController(async (site, context) => {
      const { name, generation = 0 } = site.metadata;
      if (known.get(name) === generation) return;
      await applyDeployment(site, context);
      known.set(name, generation);
    }),
  },
  "cleans-up-on-events": {
    mistake: "deletes the settings of a Site only when it sees that the Site was deleted",
    fault: "unobserved",
    checks: ["history", "deletion"],
    setup: (manager) => {
      controllerManagedBy(manager)
        .for(Site)
        .needs(ConfigMap, ["create", "patch", "delete"])
        .complete(async (key, { client }) => {
          const site = await client.get(Site, key).catch(ignoreNotFound);
          if (site) await client.apply(ConfigMap, looseSettingsOf(site), { force: true });
          else await client.delete(ConfigMap, `${key}-settings`).catch(ignoreNotFound);
        });
    },
  },
  "ignores-what-exists": {
    mistake: "reconciles only Sites that are created or changed while it runs",
    fault: "unobserved",
    checks: ["history"],
    setup: (manager) => {
      controllerManagedBy(manager)
        .for(Site, { predicates: [(event) => event.type !== "create" || Date.now() - startedMs > 1_000] })
        .owns(Deployment)
        .complete(asReconciler(Site, reconcileSite));
    },
  },
  // The API server refuses, or does not respond.
  "swallowed-error": {
    mistake: "logs the error of a write, and returns",
    fault: "api",
    checks: ["history"],
    setup: siteController(async (site, context) => {
      await applyDeployment(site, context).catch((err: unknown) => context.log.warn({ err }, "not applied"));
    }),
  },
  "ignored-conflict": {
    mistake: "ignores conflicts, because the next event will come",
    fault: "api",
    checks: ["history"],
    setup: siteController(async (site, { client }) => {
      const { metadata } = settingsOf(site);
      const data = { image: site.spec.image };
      const found = await client.get(ConfigMap, keyOf({ metadata })).catch(ignoreNotFound);
      if (!found) return void (await client.create(ConfigMap, { metadata, data }));
      if (found.data?.image === site.spec.image) return;
      const update = client.update(ConfigMap, { ...mutableCopy(found), data });
      await update.catch((error: unknown) => {
        if (!isConflict(error)) throw error;
      });
    }),
  },
  "created-twice": {
    mistake: "tries the creation of an object with a generated name again after any error",
    fault: "api",
    checks: ["history"],
    setup: siteController(async (site, context) => {
      const [found] = await deploymentsOf(site, context);
      if (found) return void (await applyDeployment(site, context, found.metadata.name));
      await createGenerated(site, context).catch(() => createGenerated(site, context));
    }),
  },
  "terminal-for-ever": {
    mistake: "declares every error to be one that a retry cannot mend",
    fault: "api",
    checks: ["history", "idempotent"],
    setup: siteController(async (site, context) => {
      await reconcileSite(site, context).catch((cause: unknown) => {
        throw new TerminalError("cannot reconcile", { cause });
      });
    }),
  },
  "unhandled-rejection": {
    mistake: "starts a write and does not wait for it",
    fault: "api",
    checks: ["clean"],
    setup: siteController(async (site, context) => {
      void context.client.status.patch(Site, site, { phase: "Seen" });
      await applyDeployment(site, context);
    }),
  },
  // Time passes.
  "timer-in-memory": {
    mistake: "waits in a timer of the process, and records that it waits",
    fault: "time",
    checks: ["history"],
    setup: siteController(async (site, { client }) => {
      if (site.status?.phase !== undefined) return;
      await client.status.patch(Site, site, { phase: "Waiting" });
      setTimeout(() => {
        client.status.patch(Site, site, { phase: "Ripe" }).catch(() => undefined);
      }, 60_000);
    }),
  },
  "no-requeue": {
    mistake: "returns when it is too early, without a time to come back",
    fault: "time",
    checks: ["history"],
    setup: siteController(async (site, context, { clock }) => {
      await reconcileSite(site, context);
      const ageMs = clock.now() - Date.parse(site.metadata.creationTimestamp ?? "");
      if (ageMs > 5_000) await context.client.status.patch(Site, site, { phase: "Ripe" });
    }),
  },
  "time-in-status": {
    mistake: "writes the time of the last check to the status of the object that it watches",
    fault: "time",
    checks: ["idempotent"],
    setup: siteController(async (site, context, { clock }) => {
      await context.client.status.patch(Site, site, { time: rfc3339(clock.now()) });
    }),
  },
  "start-grace": {
    mistake: "does nothing for a minute after its start, and does not come back",
    fault: "time",
    checks: ["history"],
    setup: siteController(async (site, context, { clock }) => {
      if (clock.now() - startedMs > 60_000) await reconcileSite(site, context);
    }),
  },
  "hot-poll": {
    mistake: "looks every second for what a watch would report",
    fault: "time",
    checks: ["quiet"],
    setup: siteController(async (site, context) => {
      await reconcileSite(site, context);
      return { requeueAfterMs: 1_000 };
    }),
  },
  "leaked-timer": {
    mistake: "starts an interval for each Site, and never ends it",
    fault: "time",
    checks: ["clean", "quiet"],
    setup: siteController(async (site, context) => {
      const { uid = "" } = site.metadata;
      if (!known.has(uid)) setInterval(() => context.log.trace("still here"), 30_000);
      known.set(uid, 1);
      await reconcileSite(site, context);
    }),
  },
  // Others write, too.
  "create-only": {
    mistake: "creates the Deployment and ignores that it exists in another form",
    fault: "neighbours",
    checks: ["healing"],
    setup: siteController(async (site, { client }) => {
      await client.create(Deployment, deploymentOf(site)).catch(ignoreAlreadyExists);
    }),
  },
  "not-watched": {
    mistake: "does not watch the Deployments that it owns",
    fault: "neighbours",
    checks: ["healing"],
    setup: (manager) => {
      const reconcile = asReconciler(Site, reconcileSite);
      controllerManagedBy(manager).for(Site).needs(Deployment, ["patch", "create"]).complete(reconcile);
    },
  },
  "found-by-label": {
    mistake: "finds its Deployment by a label, which others may change",
    fault: "neighbours",
    checks: ["healing"],
    setup: siteController(async (site, context) => {
      const [found] = await deploymentsOf(site, context);
      if (found) await applyDeployment(site, context, found.metadata.name);
      else await createGenerated(site, context);
    }),
  },
  "edge-triggered": {
    mistake: "applies the Deployment once, and then only if the Site changed",
    fault: "neighbours",
    checks: ["healing"],
    setup: siteController(async (site, context) => {
      const id = `${site.metadata.uid} ${site.metadata.generation}`;
      if (!known.has(id)) await applyDeployment(site, context);
      known.set(id, 1);
    }),
  },
  // Users change and delete.
  "no-owner": {
    mistake: "neither an owner reference nor a finalizer deletes the Deployment",
    fault: "users",
    checks: ["deletion"],
    setup: siteController(async (site, { client }) => {
      const { metadata, spec } = deploymentOf(site);
      await client.apply(Deployment, { metadata: { ...metadata, ownerReferences: [] }, spec }, { force: true });
    }),
  },
  "forgotten-finalizer": {
    mistake: "adds a finalizer that nothing removes",
    fault: "users",
    checks: ["deletion"],
    setup: siteController(async (site, context) => {
      const draft = mutableCopy(site);
      if (addFinalizer(draft, finalizer)) await context.client.update(Site, draft);
      await reconcileSite(site, context);
    }),
  },
  "immutable-selector": {
    mistake: "writes what users change into a selector, which is immutable",
    fault: "users",
    checks: ["clean", "quiet"],
    setup: siteController(async (site, { client }) => {
      const desired = deploymentOf(site);
      const labels = { site: site.metadata.name, replicas: String(site.spec.replicas) };
      const template = { ...desired.spec.template, metadata: { labels } };
      const spec = { ...desired.spec, selector: { matchLabels: labels }, template };
      await client.apply(Deployment, { ...desired, spec }, { force: true });
    }),
  },
  "counts-reconciles": {
    mistake: "counts its reconciles in the status",
    fault: "users",
    checks: ["quiet"],
    setup: siteController(async (site, context) => {
      await context.client.status.patch(Site, site, { count: (site.status?.count ?? 0) + 1 });
    }),
  },
  "secret-in-event": {
    mistake: "reports the password that it generated in an Event",
    fault: "users",
    checks: ["clean"],
    setup: siteController(async (site, { client, recorder }) => {
      const key = { ...keyed(site), name: `${site.metadata.name}-password` };
      if (await client.get(Secret, key).catch(ignoreNotFound)) return;
      const password = `pw-${site.metadata.uid}`;
      const metadata = { ...key, ownerReferences: [controllerReference(site)] };
      await client.create(Secret, { metadata, stringData: { password } }).catch(ignoreAlreadyExists);
      recorder.event(site, { reason: "Created", action: "Create", note: `created the password ${password}` });
    }),
  },
  "secret-in-log": {
    mistake: "logs the token that it generated",
    fault: "users",
    checks: ["clean"],
    setup: siteController(async (site, { client, log }) => {
      const key = { ...keyed(site), name: `${site.metadata.name}-token` };
      const token = `token-${site.metadata.uid}`;
      const metadata = { ...key, ownerReferences: [controllerReference(site)] };
      log.info(`applying ${token}`);
      await client.apply(Secret, { metadata, stringData: { token } }, { force: true });
    }),
  },
  // One process leads.
  "not-elected": {
    mistake: "a second replica works without being elected",
    fault: "intermediate",
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
  "unfenced-writes": {
    mistake: "works for a long time, with a client that still writes when the process no longer leads",
    fault: "stale",
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
  "second-loop": {
    mistake: "a loop of its own writes whether or not this process leads",
    fault: "time",
    checks: ["fenced"],
    options: { leaderElection },
    setup: (manager) => {
      siteController(reconcileSite)(manager);
      const client = new Client({ connection: manager.unfenced.apiReader.connection, fieldOwner: "beat" });
      void beat(manager, client);
    },
  },
};

/** Returns the namespace of a Site, for the keys of its parts. */
function keyed({ metadata: { namespace = "" } }: Site) {
  return { namespace };
}

async function beat(manager: Manager, client: Client): Promise<void> {
  const metadata = { namespace: "default", name: "beat" };
  for (let beats = 0; ; beats++) {
    await manager.clock.sleep(15_000);
    await client.apply(ConfigMap, { metadata, data: { beats: String(beats) } }, { force: true }).catch(() => undefined);
  }
}
