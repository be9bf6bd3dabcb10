import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { AttackedPlane } from "./attacked-plane.ts";

const configMaps = "/api/v1/namespaces/default/configmaps";
const slowMs = 5_000; // on a machine with other work; the attacks took a minute, or gigabytes
const maxMebibytes = 900;
const objects = 600;

let plane: AttackedPlane;
beforeEach(async () => {
  plane = await AttackedPlane.start();
  const create = (index: number) =>
    plane.call("POST", configMaps, {
      metadata: { name: `c${index}` },
      data: { text: randomBytes(6_000).toString("base64") },
    });
  for (let index = 0; index < objects; index += 20)
    await Promise.all(Array.from({ length: 20 }, (_, more) => create(index + more)));
}, 60_000);
afterEach(() => plane.stop());

const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

it.each([
  ["lists", configMaps, {}],
  ["compressed lists", configMaps, { "accept-encoding": "gzip" }],
  ["tables", `${configMaps}?includeObject=Object`, { accept: table }],
  ["compressed tables", `${configMaps}?includeObject=Object`, { accept: table, "accept-encoding": "gzip" }],
  ["lists as YAML", configMaps, { accept: "application/yaml" }],
  ["lists for people", `${configMaps}?pretty=1`, {}],
  [
    "lists by labels",
    `${configMaps}?labelSelector=${Array.from({ length: 2_000 }, (_, i) => `a${i}!=b`).join(",")}`,
    {},
  ],
  ["watches", `${configMaps}?watch=1`, {}],
  ["watches of tables", `${configMaps}?watch=1&includeObject=Object`, { accept: table }],
])(
  "a thousand %s that nobody reads delay nobody, and need little memory",
  { timeout: 120_000 },
  async (_, path, headers) => {
    const { worstWaitMs } = await plane.during(async () => {
      const session = plane.connect({ settings: { initialWindowSize: 0 } });
      for (let stream = 0; stream < 1_000; stream++)
        session.request({ ":path": path, ...headers }).on("error", () => {}); // refused, or ended with the session
      await sleep(4_000);
      session.destroy();
    });
    expect(worstWaitMs).toBeLessThan(slowMs);
    expect(await plane.peakMebibytes()).toBeLessThan(maxMebibytes);
    expect(plane.isRunning).toBe(true);
  },
);
