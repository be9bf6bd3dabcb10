import { Environment } from "@kubewright/envtest";
import { Client, findCondition, isNotFound, silentLogger } from "kubewright";
import { ConfigMap } from "kubewright/kinds";
import { operator } from "kubewright/testing";
import { expect, it, vi } from "vitest";
import { Device } from "../api/device.ts";
import { DeviceSimulator } from "../device-simulator.ts";
import { add } from "./device.ts";

it("sends a device its settings, and removes it before its object", async () => {
  const simulator = new DeviceSimulator();
  vi.stubEnv("DEVICE_API", `${await simulator.start()}/test`);
  await using env = await Environment.start({ crds: [Device] });
  await using client = new Client({ connection: env.connection() });
  const options = { metrics: { bindAddress: "0" }, logger: silentLogger };
  const running = await operator(env, add, options);

  const key = { namespace: "default", name: "lamp" };
  await client.create(Device, { metadata: key, spec: { profile: "bright" } });
  const online = async () =>
    findCondition((await client.get(Device, key)).status?.conditions, "Online");
  await running.eventually(async () =>
    expect(await online()).toMatchObject({ reason: "NoProfile" }),
  );

  await client.create(ConfigMap, {
    metadata: { ...key, name: "bright" },
    data: { brightness: "90" },
  });
  await running.eventually(async () =>
    expect(await online()).toMatchObject({ status: "True" }),
  );
  expect(simulator.settings.get("default/lamp")).toEqual({ brightness: "90" });

  await client.delete(Device, key);
  await running.eventually(() =>
    expect(client.get(Device, key)).rejects.toSatisfy(isNotFound),
  );
  expect(simulator.settings.has("default/lamp")).toBe(false);
  await running.stop();
  await simulator.stop();
  vi.unstubAllEnvs();
});
