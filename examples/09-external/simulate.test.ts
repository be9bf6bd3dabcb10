import assert from "node:assert/strict";
import { type SimulatedCluster, simulate } from "@kubewright/simulation";
import { keyOf } from "kubewright";
import { ConfigMap } from "kubewright/kinds";
import { expect, it } from "vitest";
import { Device } from "./api/device.ts";

/** The settings of each device in the external system, keyed by ID. */
const devices = new Map<string, unknown>();
let isAway = false;
/** Number of calls whose answers get lost. */
let lost = 0;

async function answer({ method, url, signal }: Request, body: string) {
  const id = new URL(url).pathname.replace("/things/devices/", "");
  if (method === "GET") return never(signal); // no device sends a report
  if (isAway) return new Response(null, { status: 503 });
  if (method === "PUT") devices.set(id, JSON.parse(body));
  else devices.delete(id);
  if (lost-- > 0) throw new TypeError("fetch failed");
  return Response.json({ online: id.endsWith("north") });
}

const never = (signal: AbortSignal) =>
  new Promise<Response>((_, reject) => {
    const end = (): void => reject(signal.reason);
    signal.addEventListener("abort", end, { once: true });
  });

const externalSystem = {
  name: "device API",
  fetch: (request: Request) =>
    request.url.includes("/things/")
      ? request.text().then((body) => answer(request, body))
      : undefined,
  faults(random: () => number): string {
    isAway = random() < 0.5;
    lost = isAway ? 0 : 2;
    return isAway ? "does not work" : "the next answers get lost";
  },
  heal(): void {
    isAway = false;
    lost = 0;
  },
  reset: (): void => devices.clear(),
};

/** The external system has the devices that exist, with their settings. */
async function isInSync(cluster: SimulatedCluster): Promise<void> {
  const objects = await cluster.objects();
  const existing = objects.filter(({ kind }) => kind === "Device");
  for (const device of existing) {
    const { profile } = device.spec as Device["spec"];
    const key = `${device.metadata.namespace}/${profile}`;
    const settings = await cluster.get("ConfigMap", key);
    if (settings) assert.deepEqual(devices.get(keyOf(device)), settings.data);
  }
  const ids = existing.map(keyOf);
  const left = [...devices.keys()].filter((id) => !ids.includes(id));
  assert.deepEqual(left, [], "deleted devices remain in the external system");
}

it("survives the faults of production", { timeout: 900_000 }, async () => {
  const program = new URL("./main.ts", import.meta.url);
  const { failure } = await simulate(program, {
    kinds: [Device, ConfigMap],
    seed: 1,
    // Profiles with the names that users give to ConfigMaps.
    users: {
      Device: [{ spec: { profile: "north" } }, { spec: { profile: "south" } }],
      ConfigMap: [{ data: { brightness: "1" } }, { data: { brightness: "2" } }],
    },
    world: [externalSystem],
    holds: isInSync,
  });
  expect(failure).toBeUndefined();
});
