import { expect, it } from "vitest";
import { remove } from "./actions/rule-actions.ts";
import { deployments, resourceOf } from "./cluster/api-resource.ts";
import { purposeLabel, site } from "./cluster/workloads.ts";
import { heal, removeDangling } from "./heal.ts";
import { templateOf } from "./users/rule-templates.ts";
import { World } from "./world.ts";

const minuteMs = 60_000;

async function newWorld(): Promise<{ readonly world: World; readonly lines: string[] }> {
  const lines: string[] = [];
  const world = await World.start({
    seed: 1,
    cnfNamespaces: "same",
    confirms: false,
    bug: () => ({}),
    trace: (line) => lines.push(line),
  });
  world.startProcess();
  return { world, lines };
}

async function put(world: World, kind: string, name: string, variant: number): Promise<void> {
  const key = { namespace: site, name };
  const spec = templateOf(kind).spec(variant, name);
  if (world.store.find(resourceOf(kind), key)) await world.store.patch(resourceOf(kind), key, { spec });
  else
    await world.store.create(resourceOf(kind), site, { metadata: { name, labels: { [purposeLabel]: "hub" } }, spec });
}

it("deletes a zone's user only on pods that a Deployment left behind, after the user no longer refers to the zone", async () => {
  const { world, lines } = await newWorld();
  const zone = resourceOf("FirewallZone");
  for (const name of ["wan", "lan-zone-of-branch"]) await put(world, "FirewallZone", name, 0);
  await put(world, "FirewallDNAT", "inward", 0);
  await world.advance(minuteMs);
  await world.workloads.remove(world.store.get(deployments, { namespace: site, name: "hub" }), { orphan: true });
  await put(world, "FirewallDNAT", "inward", 1);
  await remove(world, world.store.get(zone, { namespace: site, name: "wan" }));
  await world.advance(10 * minuteMs);
  // Nobody applies the edit to pods without a Deployment, so the zone stays in use there.
  expect(world.store.find(zone, { namespace: site, name: "wan" })?.status).toMatchObject({
    state: "Being delete",
    conditions: expect.arrayContaining([
      expect.objectContaining({ reason: "Deleting", message: expect.stringContaining("zone wan is used") }),
    ]),
  });

  await heal(world);
  await world.advance(minuteMs);
  await removeDangling(world);
  await world.advance(minuteMs);
  expect(lines.filter((line) => line.includes("deletes"))).toEqual([
    expect.stringContaining("deletes FirewallDNAT site/inward, which refers to a deleted object"),
  ]);
  expect(world.store.find(zone, { namespace: site, name: "wan" })).toBeUndefined();
  expect(world.store.find(zone, { namespace: site, name: "lan-zone-of-branch" })).toBeDefined();
  await world.end();
});

it("deletes the user of an object that stays on such pods after its purpose changed", async () => {
  const { world, lines } = await newWorld();
  const zone = resourceOf("FirewallZone");
  for (const name of ["wan", "lan-zone-of-branch"]) await put(world, "FirewallZone", name, 0);
  await put(world, "FirewallDNAT", "inward", 0);
  await world.advance(minuteMs);
  await world.workloads.remove(world.store.get(deployments, { namespace: site, name: "hub" }), { orphan: true });
  await put(world, "FirewallDNAT", "inward", 1);
  const key = { namespace: site, name: "wan" };
  await world.store.patch(zone, key, { metadata: { labels: { [purposeLabel]: null } } });
  await world.advance(10 * minuteMs);
  expect(world.store.find(zone, key)?.status).toMatchObject({ state: "Trying to apply", appliedPurpose: "hub" });

  await removeDangling(world);
  await world.advance(10 * minuteMs);
  expect(lines.filter((line) => line.includes("deletes"))).toEqual([
    expect.stringContaining("deletes FirewallDNAT site/inward, which refers to a deleted object"),
  ]);
  expect(world.store.find(zone, key)?.status).toMatchObject({ state: "Idle" });
  await world.end();
});
