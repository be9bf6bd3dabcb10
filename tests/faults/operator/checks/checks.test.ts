import { afterEach, beforeEach, expect, it } from "vitest";
import { deployments, pods, resourceOf } from "../cluster/api-resource.ts";
import { purposeLabel, site } from "../cluster/workloads.ts";
import { templateOf } from "../users/rule-templates.ts";
import { World } from "../world.ts";
import { wrongInterfaces } from "./interfaces.ts";
import { wrongMetrics } from "./metrics.ts";

const minuteMs = 60_000;
const zone = resourceOf("FirewallZone");
const cniInterface = resourceOf("CniInterface");
const labels = { [purposeLabel]: "hub" };
let world: World;

beforeEach(async () => {
  world = await World.start({ seed: 1, cnfNamespaces: "same", confirms: false, bug: () => ({}), trace: () => {} });
  world.startProcess();
  await world.store.create(zone, site, {
    metadata: { name: "wan", labels },
    spec: templateOf("FirewallZone").spec(0, "wan"),
  });
  await world.advance(minuteMs);
});

afterEach(async () => {
  await world.end();
});

const hubPod = () => {
  const [pod] = world.workloads.podsOf(world.store.get(deployments, { namespace: site, name: "hub" }));
  return pod ?? expect.unreachable();
};

it("reports objects that the metrics miss, or count in another state", async () => {
  expect(await wrongMetrics(world)).toEqual([]);
  const key = { namespace: site, name: "wan" };
  world.api.lagMs = 8_000; // so that the operator does not know yet
  await world.store.patch(zone, key, { status: { state: "Idle" } }, "status");
  expect(await wrongMetrics(world)).toEqual([
    "the metrics count 0 of FirewallZone Idle, but these exist: FirewallZone site/wan",
    "the metrics count 1 of FirewallZone In Sync, but these exist: ",
  ]);
});

it("reports pods that the metrics miss, or still contain", async () => {
  const { name } = hubPod().metadata;
  await world.store.delete(pods, { namespace: site, name });
  expect(await wrongMetrics(world)).toEqual([`the metrics contain the deleted pod ${name}`]);
  await world.workloads.deploy("late", "spare", 1);
  expect(await wrongMetrics(world)).toContainEqual(
    expect.stringMatching(/^the metrics give undefined for late-\S+, not 1$/),
  );
});

const put = (name: string, spec: object) =>
  world.store.create(cniInterface, site, {
    metadata: { name },
    spec: { name: "net2", cnfSelector: { matchLabels: labels }, ...spec },
  });

it("reports an interface that is not in the state requested by the oldest object", async () => {
  await put("shows", {});
  await put("a-first", { status: "Down" });
  await world.advance(5_000);
  await put("a-second", { status: "up" });
  await put("way-in", { name: "eth0", status: "down" });
  await put("missing", { name: "net9", status: "up" });
  expect(wrongInterfaces(world)).toContainEqual(
    expect.stringContaining("CniInterface site/a-second: its status has another generation"),
  );
  await world.advance(minuteMs);
  expect(wrongInterfaces(world)).toEqual([]);
  const net2 = world.workloads.cnfIn(hubPod())?.simulator.kernel.interfaces.find(({ name }) => name === "net2");
  expect(net2?.up).toBe(false);
  if (net2) net2.up = true;
  expect(wrongInterfaces(world).map((each) => each.slice(0, each.indexOf(";")))).toEqual([
    "CniInterface site/shows: net2 is UP",
    "CniInterface site/a-first: net2 is UP",
    "CniInterface site/a-second: net2 is UP",
  ]);
  for (const name of ["shows", "a-first", "a-second"])
    await world.store.patch(cniInterface, { namespace: site, name }, { status: { status: "UP" } }, "status");
  expect(wrongInterfaces(world).map((each) => each.slice(0, each.indexOf(";")))).toEqual([
    "CniInterface site/a-first: net2 is UP, but should be DOWN",
    "CniInterface site/a-second: Ready is False",
  ]);
});
