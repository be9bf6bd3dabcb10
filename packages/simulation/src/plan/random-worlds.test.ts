import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { type DeepReadonly, defineKind, type KubeObject } from "@kubewright/apimachinery";
import { Client, Connection } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { ApiServer } from "@kubewright/kube-apiserver";
import { silentLogger } from "@kubewright/log";
import { Manager } from "@kubewright/manager";
import { Type } from "typebox";
import { afterAll, expect, it } from "vitest";
import { controllersOf } from "../run/world.ts";
import { Random } from "../time/random.ts";
import { fieldChanges } from "./field-changes.ts";
import { plan } from "./index.ts";

/** `KUBEWRIGHT_WORLDS=200` plans 200 worlds. */
const worlds = Number(process.env.KUBEWRIGHT_WORLDS ?? 20);

const Site = defineKind({
  group: "shop.example.com",
  version: "v1",
  kind: "Site",
  scope: "Namespaced",
  spec: Type.Object({ copies: Type.Integer(), text: Type.String() }),
  status: Type.Object({ copies: Type.Optional(Type.Integer()) }),
});

const folder = mkdtempSync(join(import.meta.dirname, "../../.planned-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Keeps as many ConfigMaps for each Site as it wants, and a finalizer on Sites with an even number of them. */
const text = `import { asReconciler } from "@kubewright/controller";
import { controllerManagedBy } from "@kubewright/builder";
import { controllerReference, unstructured } from "@kubewright/apimachinery";
import { ConfigMap } from "@kubewright/client/kinds";
const Site = unstructured({ apiVersion: "shop.example.com/v1", kind: "Site" });
export function setup(manager) {
  controllerManagedBy(manager).for(Site).owns(ConfigMap).complete(asReconciler(Site, async (site, { client }) => {
    const { name, namespace, labels = {} } = site.metadata;
    const { copies, text } = site.spec;
    for (const { metadata } of await client.list(ConfigMap, { namespace }))
      if (metadata.name.startsWith(name + "-") && Number(metadata.name.split("-")[1]) >= copies)
        await client.delete(ConfigMap, metadata);
    for (let number = 0; number < copies; number++)
      await client.apply(ConfigMap, {
        metadata: { name: name + "-" + number, namespace, ownerReferences: [controllerReference(site)] },
        data: { text, of: String(copies) },
      }, { force: true });
    if (copies % 2 === 0 && labels.even !== "yes")
      await client.patch(Site, site, { metadata: { labels: { even: "yes" } } });
    if (site.status?.copies !== copies) await client.status.patch(Site, site, { copies });
  }));
}
`;

type Found = Map<string, DeepReadonly<KubeObject>>;

async function objectsOf(client: Client): Promise<Found> {
  const found = [...(await client.list(Site)), ...(await client.list(ConfigMap, { namespace: "default" }))];
  return new Map(found.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
}

/** Creates random objects. */
async function populate(client: Client, random: Random): Promise<void> {
  for (const name of ["a", "b", "c"]) {
    const labels = random.chance(0.5) ? { even: "yes" } : { tier: "x" };
    const spec = { copies: random.below(4), text: random.one(["x", "y", ""]) };
    const metadata = { name, namespace: "default", labels };
    const site = random.chance(0.7) ? await client.create(Site, { metadata, spec }) : undefined;
    if (site && random.chance(0.5)) await client.status.patch(Site, site, { copies: random.below(4) });
    for (let number = 0; number < 5; number++) {
      if (random.chance(0.5)) continue;
      const data = { text: random.one(["x", "y"]), ...(random.chance(0.3) ? { extra: "1" } : {}) };
      const manager = new Client({ connection: client.connection, fieldOwner: random.one(["program", "other"]) });
      await manager.apply(ConfigMap, { metadata: { name: `${name}-${number}`, namespace: "default" }, data } as never);
    }
  }
}

/** Runs the program in the cluster until it has nothing left to do. */
async function run(program: URL, live: ApiServer): Promise<void> {
  const module: { readonly setup: (manager: Manager) => void } = await import(program.href);
  const none = { bindAddress: "0" };
  const manager = new Manager({
    connection: live.connection(),
    fieldOwner: "simulated-program",
    logger: silentLogger,
    ...{ metrics: none, health: none, preflight: false },
  });
  module.setup(manager);
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  for (let idle = 0; idle < 4; ) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    const isIdle = controllersOf(manager).every(
      ({ state }) =>
        state.hasSynced &&
        !state.isHandling &&
        state.queueLength + state.running + state.held + (state.queue?.total ?? 0) === 0,
    );
    idle = isIdle ? idle + 1 : 0;
  }
  stop.abort();
  await running;
}

it(`plans what running does, in ${worlds} random worlds`, { timeout: 30_000 + worlds * 10_000 }, async () => {
  const path = join(folder, "program.ts");
  writeFileSync(path, text);
  const program = pathToFileURL(path);
  await using live = await ApiServer.start({ listen: false, crds: [Site.crd] });
  const client = new Client({ connection: new Connection(live.connection()), fieldOwner: "user" });
  let changes = 0;
  for (let seed = 0; seed < worlds; seed++) {
    for (const object of (await objectsOf(client)).values())
      await client.delete(object.kind === "Site" ? Site : ConfigMap, object as never);
    await populate(client, new Random(`worlds/${seed}`));
    const { connection } = client;
    const report = await plan(program, { connection, signal: new AbortController().signal });
    const planned = report.changes.map(({ action, kind, name, fields }) => ({
      object: `${kind} ${name}`,
      action,
      fields,
    }));
    expect(report.unknown).toEqual([]);

    const before = await objectsOf(client);
    await run(program, live);
    const after = await objectsOf(client);
    const happened = [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((object) => {
      const [old, now] = [before.get(object), after.get(object)];
      if (!now) return [{ object, action: "delete", fields: [] }];
      const { apiVersion, kind, metadata } = now;
      const { name, namespace = "" } = metadata;
      if (!old)
        return [
          { object, action: "create", fields: fieldChanges({ apiVersion, kind, metadata: { name, namespace } }, now) },
        ];
      const fields = fieldChanges(old, now);
      return fields.length > 0 ? [{ object, action: "change", fields }] : [];
    });
    expect({ seed, changes: planned }).toEqual({ seed, changes: happened });
    changes += happened.length;
  }
  expect(changes).toBeGreaterThan(worlds);
  await client.close();
});
