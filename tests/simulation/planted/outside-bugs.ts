import { addFinalizer, keyOf, type Manager, mutableCopy, type ReconcileContext, removeFinalizer } from "kubewright";
import { bucketUrl } from "./bucket.ts";
import type { PlantedBug } from "./bug.ts";
import { reconcileSite, Site, siteController } from "./site.ts";

const finalizer = "shop.example.com/bucket";

/** Sends a request about a Site to the bucket. @throws {Error} if the bucket does not carry it out */
async function send(method: string, site: Site, body?: string): Promise<Response> {
  const response = await fetch(`${bucketUrl}/${keyOf(site)}`, { method, ...(body === undefined ? {} : { body }) });
  if (!response.ok) throw new Error(`${method} ${keyOf(site)}: ${response.status}`);
  return response;
}

const put = (site: Site): Promise<unknown> => send("PUT", site, site.spec.image);
const remove = (site: Site): Promise<unknown> => send("DELETE", site);

type Call = (site: Site, context: ReconcileContext, manager: Manager) => Promise<unknown>;

/** Stores each Site in the bucket, and removes it when the Site is deleted. */
const storing = (store: Call, forget: Call = remove) =>
  siteController(async (site, context, manager) => {
    const draft = mutableCopy(site);
    if (site.metadata.deletionTimestamp !== undefined) {
      await forget(site, context, manager);
      if (removeFinalizer(draft, finalizer)) await context.client.update(Site, draft);
      return;
    }
    if (addFinalizer(draft, finalizer)) await context.client.update(Site, draft);
    await store(site, context, manager);
    await reconcileSite(site, context);
  });

/** A correct program with a part outside of the cluster. */
export const storingSites: (manager: Manager) => void = storing(put);

/** Bugs that faults outside of the cluster make visible. */
export const outsideBugs: Readonly<Record<string, PlantedBug>> = {
  "no-retry-outside": {
    mistake: "logs that the bucket failed, and does not come back",
    fault: "outside world",
    checks: ["history"],
    setup: storing((site, { log }) => put(site).catch((err: unknown) => log.warn({ err }, "not stored"))),
  },
  "left-outside": {
    mistake: "removes the finalizer although the bucket did not delete the object",
    fault: "outside world",
    checks: ["deletion"],
    setup: storing(put, (site, { log }) => remove(site).catch((err: unknown) => log.warn({ err }, "not deleted"))),
  },
  "added-twice-outside": {
    mistake: "adds to the bucket again when the response is lost, without a look at what it contains",
    fault: "outside world",
    checks: ["history"],
    setup: storing(async (site) => {
      const present: unknown = await (await send("GET", site)).json();
      if (Array.isArray(present) && present[0] === site.spec.image) return;
      if (Array.isArray(present) && present.length > 0) await put(site);
      else await send("POST", site, site.spec.image).catch(() => send("POST", site, site.spec.image));
    }),
  },
  "status-not-checked": {
    mistake: "takes every response of the bucket for a success",
    fault: "outside world",
    checks: ["history"],
    setup: storing((site) => fetch(`${bucketUrl}/${keyOf(site)}`, { method: "PUT", body: site.spec.image })),
  },
  "gives-up-after-a-while": {
    mistake: "stops waiting for the bucket after half a minute, and marks the Site as failed for ever",
    fault: "outside world",
    checks: ["history"],
    setup: storing(async (site, { client }, { clock }) => {
      if (site.status?.phase === "Failed") return;
      const isStored = await Promise.race([put(site).then(() => true), clock.sleep(30_000).then(() => false)]);
      await client.status.patch(Site, site, { phase: isStored ? "Stored" : "Failed" });
    }),
  },
};
