import { Environment } from "@kubewright/envtest";
import { Client } from "kubewright";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Rack } from "./rack.ts";

let env: Environment;
let client: Client;
beforeAll(async () => {
  env = await Environment.start({ crds: [Rack] });
  client = new Client({ connection: env.connection() });
});
afterAll(async () => {
  await client.close();
  await env.stop();
});

const spec = { row: "A", power: "double", units: { low: 1, high: 8 } } as const;

it("is served with its defaults", async () => {
  const { power: _, ...rest } = spec;
  const sent = {
    metadata: { name: "a1" },
    spec: { ...rest, units: { high: 8 } },
  };
  const created = await client.create(Rack, sent as never);
  expect(created.spec).toEqual({
    row: "A",
    power: "single",
    units: { low: 1, high: 8 },
  });
  expect(Rack.parse(sent).spec).toEqual(created.spec);
});

it("can be selected by its selectable fields", async ({ skip }) => {
  const { minor } = await client.discovery.serverVersion();
  skip(minor === "30", "Kubernetes 1.30 ignores selectable fields");
  await client.create(Rack, {
    metadata: { name: "b1" },
    spec: { ...spec, row: "B" },
  });
  const found = await client.list(Rack, { fields: { "spec.row": "B" } });
  expect(found.map(({ metadata }) => metadata.name)).toEqual(["b1"]);
});

it("enforces its rules", async () => {
  const upsideDown = client.create(Rack, {
    metadata: { name: "c1" },
    spec: { ...spec, units: { low: 9, high: 8 } },
  });
  await expect(upsideDown).rejects.toThrow(
    /spec\.units: Invalid value: .*low must not exceed high/,
  );
  await client.create(Rack, { metadata: { name: "d1" }, spec });
  await expect(
    client.patch(Rack, "d1", { spec: { row: "E" } }),
  ).rejects.toThrow(/spec\.row: Invalid value: .*is immutable/);
});
