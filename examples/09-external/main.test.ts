import { Environment } from "@kubewright/envtest";
import { Client, findCondition, isNotFound } from "kubewright";
import { ConfigMap } from "kubewright/kinds";
import { operator, type RunningOperator } from "kubewright/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Device } from "./api/device.ts";
import { addDeviceController } from "./controllers/device.ts";
import { DeviceSimulator } from "./device-simulator.ts";
import { leaderElection } from "./main.ts";
import { role } from "./role.ts";

const named = (name: string) => ({ namespace: "default", name });
const simulator = new DeviceSimulator();
let env: Environment;
let client: Client;
let url: string;
let running: RunningOperator;

/** Starts a replica that the simulator identifies by name. */
const replica = (user: string, pollMs: number): Promise<RunningOperator> =>
  operator(
    env,
    (manager) =>
      addDeviceController(manager, { url: `${url}/${user}`, pollMs }),
    {
      user,
      role,
      fieldOwner: "device-controller",
      metrics: { bindAddress: "0" },
      leaderElection: { ...leaderElection, retryPeriodMs: 100 },
    },
  );

beforeAll(async () => {
  url = await simulator.start();
  env = await Environment.start({ crds: [Device] });
  client = new Client({ connection: env.connection() });
  running = await replica("north", 600_000);
});
afterAll(async () => {
  await running.stop();
  await client.close();
  await env.stop();
  await simulator.stop();
});

const createProfile = (name: string, brightness: string) =>
  client.create(ConfigMap, { metadata: named(name), data: { brightness } });
const create = (name: string, profile: string) =>
  client.create(Device, { metadata: named(name), spec: { profile } });
const isOnline = (name: string, status: string, reason: string) =>
  running.eventually(async () => {
    const { conditions } = (await client.get(Device, named(name))).status ?? {};
    expect(findCondition(conditions, "Online")).toMatchObject({
      status,
      reason,
    });
  });
const hasSettings = (name: string, brightness: string) =>
  running.eventually(() =>
    expect(simulator.settings.get(`default/${name}`)).toEqual({ brightness }),
  );

it("sends a device its settings, and changes of its profile to all devices that share it", async () => {
  await create("lamp", "bright");
  await isOnline("lamp", "Unknown", "NoProfile");
  await createProfile("bright", "90");
  await createProfile("dim", "10");
  await create("torch", "bright");
  await create("candle", "dim");
  for (const name of ["lamp", "torch", "candle"])
    await isOnline(name, "True", "Answers");
  await client.patch(ConfigMap, named("bright"), {
    data: { brightness: "80" },
  });
  for (const name of ["lamp", "torch"]) await hasSettings(name, "80");
  await hasSettings("candle", "10");
  expect(
    simulator.calls.filter((call) => call === "north PUT default/candle"),
  ).toHaveLength(1);
});

it("asks a device when it reports, and retries while the external system is down", async () => {
  await createProfile("night", "1");
  await create("moon", "night");
  await isOnline("moon", "True", "Answers");
  simulator.silent.add("default/moon");
  simulator.report("default/moon");
  await isOnline("moon", "False", "Silent");

  simulator.isAway = true;
  await client.patch(ConfigMap, named("night"), { data: { brightness: "2" } });
  await isOnline("moon", "Unknown", "Unreachable");
  simulator.isAway = false;
  await hasSettings("moon", "2");
  const text = await running.manager.metrics.metrics();
  expect(text).toMatch(/^device_calls_total\{method="PUT",code="200"\} [1-9]/m);
  expect(text).toMatch(/^device_calls_total\{method="PUT",code="503"\} [1-9]/m);
});

it("removes a device from the external system before its object is deleted", async () => {
  await createProfile("party", "100");
  await create("disco", "party");
  await isOnline("disco", "True", "Answers");
  simulator.isAway = true;
  await client.delete(Device, named("disco"));
  await running.eventually(async () =>
    expect(await running.manager.metrics.metrics()).toContain(
      'device_calls_total{method="DELETE",code="503"}',
    ),
  );
  expect(
    (await client.get(Device, named("disco"))).metadata.finalizers,
  ).toEqual(["things.example.com/device"]);
  simulator.isAway = false;
  await running.eventually(() =>
    expect(client.get(Device, named("disco"))).rejects.toSatisfy(isNotFound),
  );
  expect(simulator.settings.has("default/disco")).toBe(false);
});

it("asks each device at an interval, as one of two replicas, and continues as the other", async () => {
  await createProfile("day", "50");
  await create("sun", "day");
  await isOnline("sun", "True", "Answers");
  const south = await replica("south", 50);
  expect(simulator.calls.filter((call) => call.startsWith("south"))).toEqual(
    [],
  );
  await running.stop();
  running = south;
  const before = simulator.calls.length;
  await running.eventually(() =>
    expect(
      simulator.calls.filter((call) => call === "south PUT default/sun").length,
    ).toBeGreaterThan(2),
  );
  expect(
    simulator.calls.slice(before).filter((call) => call.startsWith("north")),
  ).toEqual([]);
  simulator.silent.add("default/sun");
  await isOnline("sun", "False", "Silent");
});
