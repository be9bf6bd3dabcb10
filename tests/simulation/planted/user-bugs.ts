import {
  addFinalizer,
  asReconciler,
  controllerManagedBy,
  controllerReference,
  ignoreAlreadyExists,
  ignoreNotFound,
  mutableCopy,
  rfc3339,
} from "kubewright";
import { ConfigMap, Deployment, Secret, ServiceAccount } from "kubewright/kinds";
import type { PlantedBug } from "./bug.ts";
import { applyDeployment, deploymentOf, reconcileSite, Site, siteController, versionOf } from "./site.ts";

// The state of modules, which is lost with the process.
const known = new Map<string, number>();
const startedMs = Date.now();

const finalizer = "shop.example.com/cleanup";
const keyed = ({ metadata: { namespace = "" } }: Site) => ({ namespace });

/** Bugs that are visible without any fault, because users, or the checks themselves, make them visible. */
export const userBugs: Readonly<Record<string, PlantedBug>> = {
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
  "status-from-memory": {
    mistake: "reports a count that only this process knows",
    fault: "users",
    checks: ["idempotent"],
    setup: siteController(async (site, context) => {
      const id = versionOf(site);
      if (!known.has(id)) known.set(id, known.size + 1);
      await context.client.status.patch(Site, site, { count: known.get(id) ?? 0 });
    }),
  },
  "start-time-in-template": {
    mistake: "writes the time of its start into the pod template, so that each restart replaces all pods",
    fault: "users",
    checks: ["idempotent"],
    setup: siteController(async (site, { client }) => {
      const desired = deploymentOf(site);
      const annotations = { started: rfc3339(startedMs) };
      const template = { ...desired.spec.template, metadata: { ...desired.spec.template.metadata, annotations } };
      await client.apply(Deployment, { ...desired, spec: { ...desired.spec, template } }, { force: true });
    }),
  },
  "time-in-status": {
    mistake: "writes the time of the last check to the status of the object that it watches",
    fault: "users",
    checks: ["idempotent"],
    setup: siteController(async (site, context, { clock }) => {
      await context.client.status.patch(Site, site, { time: rfc3339(clock.now()) });
    }),
  },
  "no-requeue": {
    mistake: "returns when it is too early, without a time to come back",
    fault: "users",
    checks: ["history"],
    setup: siteController(async (site, context, { clock }) => {
      await reconcileSite(site, context);
      const ageMs = clock.now() - Date.parse(site.metadata.creationTimestamp ?? "");
      if (ageMs > 5_000) await context.client.status.patch(Site, site, { phase: "Ripe" });
    }),
  },
  "start-grace": {
    mistake: "does nothing for a minute after its start, and does not come back",
    fault: "users",
    checks: ["history"],
    setup: siteController(async (site, context, { clock }) => {
      if (clock.now() - startedMs > 60_000) await reconcileSite(site, context);
    }),
  },
  "hot-poll": {
    mistake: "looks every second for what a watch would report",
    fault: "users",
    checks: ["quiet"],
    setup: siteController(async (site, context) => {
      await reconcileSite(site, context);
      return { requeueAfterMs: 1_000 };
    }),
  },
  "leaked-timer": {
    mistake: "starts an interval for each Site, and never ends it",
    fault: "users",
    checks: ["clean", "quiet"],
    setup: siteController(async (site, context) => {
      const { uid = "" } = site.metadata;
      if (!known.has(uid)) setInterval(() => context.log.trace("still here"), 30_000);
      known.set(uid, 1);
      await reconcileSite(site, context);
    }),
  },
  "create-only": {
    mistake: "creates the Deployment and ignores that it exists in another form",
    fault: "users",
    checks: ["healing"],
    setup: siteController(async (site, { client }) => {
      await client.create(Deployment, deploymentOf(site)).catch(ignoreAlreadyExists);
    }),
  },
  "not-watched": {
    mistake: "does not watch the Deployments that it owns",
    fault: "users",
    checks: ["healing"],
    setup: (manager) => {
      const reconcile = asReconciler(Site, reconcileSite);
      controllerManagedBy(manager).for(Site).needs(Deployment, ["patch", "create"]).complete(reconcile);
    },
  },
  "edge-triggered": {
    mistake: "applies the Deployment once, and then only if the Site changed",
    fault: "users",
    checks: ["healing"],
    setup: siteController(async (site, context) => {
      const id = versionOf(site);
      if (!known.has(id)) await applyDeployment(site, context);
      known.set(id, 1);
    }),
  },
  "found-by-label": {
    mistake: "finds its Deployment by a label, which others may change",
    fault: "users",
    checks: ["healing"],
    setup: siteController(async (site, context) => {
      const { name, namespace } = site.metadata;
      const [found] = await context.client.list(Deployment, { namespace, labels: { site: name } });
      await applyDeployment(site, context, found?.metadata.name ?? `${name}-${site.metadata.resourceVersion}`);
    }),
  },
  "two-owners-of-a-field": {
    mistake: "two controllers of the program set the same field to different values",
    fault: "users",
    checks: ["quiet"],
    setup: (manager) => {
      siteController(reconcileSite)(manager);
      const reconcile = asReconciler(Site, async (site, context) => {
        await applyDeployment({ ...site, spec: { ...site.spec, replicas: site.spec.replicas + 1 } }, context);
      });
      controllerManagedBy(manager).for(Site).owns(Deployment).named("scaler").complete(reconcile);
    },
  },
  "undeclared-read": {
    mistake: "reads ServiceAccounts from the API server without a permission, and takes the error for their absence",
    fault: "users",
    checks: ["clean"],
    hasRole: true,
    setup: siteController(async (site, context, manager) => {
      const key = { ...keyed(site), name: `${site.metadata.name}-runner` };
      const account = await manager.apiReader.get(ServiceAccount, key).catch(() => undefined);
      await applyDeployment(site, context);
      await context.client.status.patch(Site, site, { phase: account ? "Ready" : "Open" });
    }),
  },
  "undeclared-clean-up": {
    mistake: "deletes a ConfigMap when a Site is deleted, which its role does not allow, and ignores the error",
    fault: "users",
    checks: ["clean"],
    hasRole: true,
    setup: (manager) => {
      controllerManagedBy(manager)
        .for(Site)
        .owns(Deployment)
        .needs(Deployment, ["create", "patch"])
        .complete(async (key, context) => {
          const site = await context.client.get(Site, key).catch(ignoreNotFound);
          if (site) await reconcileSite(site, context);
          else await context.client.delete(ConfigMap, `${key}-settings`).catch(() => {});
        });
    },
  },
};
