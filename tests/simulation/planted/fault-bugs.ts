import {
  addFinalizer,
  asReconciler,
  controllerManagedBy,
  controllerReference,
  generationChanged,
  ignoreAlreadyExists,
  ignoreNotFound,
  isConflict,
  isNotFound,
  keyOf,
  type Manager,
  mutableCopy,
  type ReconcileContext,
  removeFinalizer,
  TerminalError,
} from "kubewright";
import { ConfigMap, Deployment } from "kubewright/kinds";
import type { PlantedBug } from "./bug.ts";
import {
  applyDeployment,
  applyRecord,
  createRecord,
  deploymentOf,
  looseSettingsOf,
  ownRecord,
  reconcileSite,
  Site,
  settingsOf,
  siteController,
} from "./site.ts";

// The state of modules, which is lost with the process.
const known = new Map<string, string>();
const startedMs = Date.now();
let beatMs: number | undefined;
let isLost = false;

const finalizer = "shop.example.com/cleanup";
const hourMs = 3_600_000;

/** Repeats a write until it succeeds or its object is gone, so that nothing but the end of the process prevents it. */
async function insist(manager: Manager, write: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await write();
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      await manager.clock.sleep(1_000);
    }
  }
}

/** Creates an object with a generated name if the cache contains none of the Site. */
async function createBeforeLook(site: Site, context: ReconcileContext): Promise<void> {
  const found = await ownRecord(site, context.client);
  if (found) await applyRecord(site, context, found.metadata.name);
  else await createRecord(site, context);
}

/** Reports whether the cache contains the Deployment of this Site, and not that of an earlier one of the same name. */
async function isCreated(site: Site, { client }: ReconcileContext): Promise<boolean> {
  const found = await client.get(Deployment, keyOf(site)).catch(ignoreNotFound);
  return found?.metadata.ownerReferences?.some(({ uid }) => uid === site.metadata.uid) ?? false;
}

/** Removes the finalizer when the cache contains no settings to delete. */
async function releaseByRead(site: Site, context: ReconcileContext) {
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
}

/** Bugs that faults make visible. Each program withstands all other classes of faults. */
export const faultBugs: Readonly<Record<string, PlantedBug>> = {
  // Killed between two writes.
  "generate-name-in-status": {
    mistake: "creates an object with a generated name, and then records the name in the status",
    fault: "intermediate states",
    checks: ["history"],
    setup: siteController(async (site, context, manager) => {
      const { uid = "", namespace } = site.metadata;
      const name = known.get(uid) ?? site.status?.deployment ?? "none";
      const found = await context.client.get(ConfigMap, { namespace: namespace ?? "", name }).catch(ignoreNotFound);
      if (found) return void (await applyRecord(site, context, name));
      const created = await createRecord(site, context).catch(async (error: unknown) => {
        const own = await ownRecord(site, manager.apiReader);
        if (own) return own;
        throw error;
      });
      known.set(uid, created.metadata.name);
      await insist(manager, () => context.client.status.patch(Site, site, { deployment: created.metadata.name }));
    }),
  },
  "lock-in-status": {
    mistake: "takes a lock in the status, which nobody takes over when the process has ended",
    fault: "intermediate states",
    checks: ["history"],
    setup: siteController(async (site, { client }) => {
      const { phase } = site.status ?? {};
      const lock = `locked by ${startedMs}`;
      if (phase === "Done" || (phase !== undefined && phase !== lock)) return;
      if (phase === undefined) await client.status.patch(Site, site, { phase: lock });
      await client.status.patch(Site, site, { phase: "Done" });
    }),
  },
  "first-part-means-all": {
    mistake: "takes the existence of the Deployment for the existence of everything",
    fault: "intermediate states",
    checks: ["history"],
    setup: siteController(async (site, context, manager) => {
      const isFirst = !(await isCreated(site, context));
      await insist(manager, () => applyDeployment(site, context));
      if (isFirst) await insist(manager, () => context.client.status.patch(Site, site, { phase: "Created" }));
    }),
  },
  "finalizer-removed-first": {
    mistake: "removes the finalizer before it deletes what has no owner reference",
    fault: "intermediate states",
    checks: ["deletion"],
    setup: siteController(async (site, context, manager) => {
      const { client } = context;
      const settings = looseSettingsOf(site);
      const draft = mutableCopy(site);
      if (site.metadata.deletionTimestamp !== undefined) {
        if (!removeFinalizer(draft, finalizer)) return;
        await client.update(Site, draft);
        return insist(manager, () => client.delete(ConfigMap, keyOf(settings)));
      }
      if (addFinalizer(draft, finalizer)) await client.update(Site, draft);
      await client.apply(ConfigMap, settings, { force: true });
      return reconcileSite(site, context);
    }),
  },
  "timer-in-memory": {
    mistake: "waits in a timer of the process, and records that it waits",
    fault: "intermediate states",
    checks: ["history"],
    setup: siteController(async (site, { client }, manager) => {
      if (site.status?.phase !== undefined) return;
      await client.status.patch(Site, site, { phase: "Waiting" });
      setTimeout(() => {
        void insist(manager, () => client.status.patch(Site, site, { phase: "Ripe" }));
      }, 60_000);
    }),
  },
  // Reads what was true before.
  "create-before-look": {
    mistake: "creates an object with a generated name if the cache contains none",
    fault: "stale states",
    checks: ["history"],
    setup: siteController(createBeforeLook),
  },
  "create-before-it-is-seen": {
    mistake: "the same, and does not wait until the cache shows its own writes",
    fault: "stale states",
    checks: ["history"],
    setup: siteController(createBeforeLook, { readYourOwnWrites: false }),
  },
  "released-by-stale-read": {
    mistake: "removes the finalizer when the cache contains no settings to delete",
    fault: "stale states",
    checks: ["deletion"],
    setup: siteController(releaseByRead),
  },
  "released-before-it-is-seen": {
    mistake: "the same, and does not wait until the cache shows its own writes",
    fault: "stale states",
    checks: ["deletion"],
    setup: siteController(releaseByRead, { readYourOwnWrites: false }),
  },
  // Does not see every event.
  "known-by-name": {
    mistake: "remembers by name and generation which Sites it has reported",
    fault: "unobserved states",
    checks: ["history"],
    setup: (manager) => {
      controllerManagedBy(manager)
        .for(Site)
        .complete(async (key, { client }) => {
          const site = await client.get(Site, key).catch(ignoreNotFound);
          if (!site) return void known.delete(key);
          const generation = String(site.metadata.generation);
          if (known.get(key) === generation) return;
          await client.status.patch(Site, site, { phase: site.spec.image });
          known.set(key, generation);
        });
    },
  },
  "generation-only": {
    mistake: "ignores updates without a new generation, so that a new object of the same name is not noticed",
    fault: "unobserved states",
    checks: ["history"],
    setup: (manager) => {
      controllerManagedBy(manager)
        .for(Site, { predicates: [generationChanged] })
        .complete(
          asReconciler(Site, async (site, { client }) => {
            await client.status.patch(Site, site, { phase: site.spec.image });
          }),
        );
    },
  },
  "owner-from-memory": {
    mistake: "remembers the UID of each Site by its name, and sets it as the owner",
    fault: "unobserved states",
    checks: ["quiet", "history"],
    setup: (manager) => {
      controllerManagedBy(manager)
        .for(Site)
        .owns(Deployment)
        .complete(async (key, { client }) => {
          const site = await client.get(Site, key).catch(ignoreNotFound);
          if (!site) return void known.delete(key);
          const uid = known.get(key) ?? site.metadata.uid ?? "";
          known.set(key, uid);
          const { metadata, spec } = deploymentOf(site);
          const ownerReferences = [{ ...controllerReference(site), uid }];
          await client.apply(Deployment, { metadata: { ...metadata, ownerReferences }, spec }, { force: true });
        });
    },
  },
  // The API server refuses, or does not respond.
  "swallowed-error": {
    mistake: "logs the error of a write, and returns",
    fault: "API faults",
    checks: ["history"],
    setup: siteController(async (site, context) => {
      await applyDeployment(site, context).catch((err: unknown) => context.log.warn({ err }, "not applied"));
    }),
  },
  "ignored-conflict": {
    mistake: "ignores conflicts, because the next event will come",
    fault: "API faults",
    checks: ["history"],
    setup: siteController(async (site, { client }) => {
      const { metadata } = settingsOf(site);
      const data = { image: site.spec.image };
      const found = await client.get(ConfigMap, keyOf({ metadata })).catch(ignoreNotFound);
      if (!found) return void (await client.create(ConfigMap, { metadata, data }).catch(ignoreAlreadyExists));
      const isSame = found.data?.image === data.image && found.metadata.labels?.site === metadata.labels.site;
      if (isSame) return;
      const draft = mutableCopy(found);
      const update = client.update(ConfigMap, { ...draft, metadata: { ...draft.metadata, ...metadata }, data });
      await update.catch((error: unknown) => {
        if (!isConflict(error)) throw error;
      });
    }),
  },
  "created-twice": {
    mistake: "tries the creation of an object with a generated name again after any error",
    fault: "API faults",
    checks: ["history"],
    setup: siteController(async (site, context) => {
      const found = await ownRecord(site, context.client);
      if (found) return void (await applyRecord(site, context, found.metadata.name));
      await createRecord(site, context).catch(() => createRecord(site, context));
    }),
  },
  "terminal-for-ever": {
    mistake: "declares every error as terminal, so that it is not retried",
    fault: "API faults",
    checks: ["history", "idempotent"],
    setup: siteController(async (site, context) => {
      await reconcileSite(site, context).catch((cause: unknown) => {
        throw new TerminalError(cause instanceof Error ? cause : new Error(String(cause)));
      });
    }),
  },
  "unhandled-rejection": {
    mistake: "starts a write and does not wait for it",
    fault: "API faults",
    checks: ["clean"],
    setup: siteController(async (site, context) => {
      void context.client.status.patch(Site, site, { phase: "Seen" });
      await applyDeployment(site, context);
    }),
  },
  // Time passes.
  "rate-limit-by-wall-clock": {
    mistake: "limits its rate by the wall clock, which may be set back",
    fault: "time",
    checks: ["history"],
    setup: siteController(async (site, context) => {
      const { uid = "" } = site.metadata;
      const waitMs = Number(known.get(uid) ?? 0) + 20_000 - Date.now();
      if (waitMs > 0) return { requeueAfterMs: waitMs };
      await reconcileSite(site, context);
      known.set(uid, String(Date.now()));
      return undefined;
    }),
  },
  "token-from-start": {
    mistake: "uses a token that it got at its start, although the token expires after some hours",
    fault: "time",
    checks: ["idempotent"],
    setup: siteController(async (site, context, { clock }) => {
      if (clock.now() - startedMs > 6 * hourMs) throw new Error("the token has expired");
      await reconcileSite(site, context);
    }),
  },
  "late-timer-means-loss": {
    mistake: "takes a late timer for the loss of its network, and stops working",
    fault: "time",
    checks: ["history", "idempotent"],
    setup: siteController(async (site, context) => {
      if (beatMs === undefined)
        setInterval(() => {
          isLost ||= Date.now() - (beatMs ?? 0) > 35_000;
          beatMs = Date.now();
        }, 10_000);
      beatMs ??= Date.now();
      if (!isLost) await reconcileSite(site, context);
    }),
  },
  // Others write, too.
  "remembers-what-it-applied": {
    mistake: "does not apply again what it remembers to have applied",
    fault: "neighbours",
    checks: ["history"],
    setup: siteController(async (site, context) => {
      const text = JSON.stringify(deploymentOf(site));
      const { uid = "" } = site.metadata;
      if (known.get(uid) === text) return;
      await applyDeployment(site, context);
      known.set(uid, text);
    }),
  },
  "found-by-changed-label": {
    mistake: "finds its object by a label, and creates another one if somebody changes the label",
    fault: "neighbours",
    checks: ["history"],
    setup: siteController(async (site, context) => {
      const { name, namespace } = site.metadata;
      const [found] = await context.client.list(ConfigMap, { namespace, labels: { site: name } });
      if (found) await applyRecord(site, context, found.metadata.name);
      else await createRecord(site, context);
    }),
  },
  "waits-for-nobody": {
    mistake: "waits for the end of a deletion, and does not notice it",
    fault: "neighbours",
    checks: ["deletion"],
    setup: (manager) => {
      const reconcile = asReconciler(Site, async (site, context) => {
        const { client } = context;
        const draft = mutableCopy(site);
        if (site.metadata.deletionTimestamp === undefined) {
          if (addFinalizer(draft, finalizer)) await client.update(Site, draft);
          return reconcileSite(site, context);
        }
        await client.delete(Deployment, keyOf(site)).catch(ignoreNotFound);
        const rest = await manager.apiReader.get(Deployment, keyOf(site)).catch(ignoreNotFound);
        if (!rest && removeFinalizer(draft, finalizer)) await client.update(Site, draft);
      });
      controllerManagedBy(manager).for(Site).complete(reconcile);
    },
  },
  "applies-before-it-releases": {
    mistake:
      "writes settings once more before it deletes them, which is not possible in a namespace that is being deleted",
    fault: "neighbours",
    checks: ["deletion"],
    setup: siteController(async (site, context) => {
      const { client } = context;
      const settings = looseSettingsOf(site);
      const draft = mutableCopy(site);
      const isLeaving = site.metadata.deletionTimestamp !== undefined;
      if (!isLeaving && addFinalizer(draft, finalizer)) await client.update(Site, draft);
      await client.apply(ConfigMap, { ...settings, data: { mode: isLeaving ? "closing" : "usual" } }, { force: true });
      if (!isLeaving) return reconcileSite(site, context);
      await client.delete(ConfigMap, keyOf(settings)).catch(ignoreNotFound);
      if (removeFinalizer(draft, finalizer)) await client.update(Site, draft);
    }),
  },
};
