import { expect, it } from "vitest";
import { names } from "./harness/contents.ts";
import { TestBed } from "./harness/test-bed.ts";

it("does what the README shows", async () => {
  const bed = await TestBed.start();
  const cnf = await bed.createCnf({ quirks: false });
  await cnf.create("FirewallZone", "lan", { network: ["net-a"] });
  await cnf.inSync("FirewallZone", "lan");
  expect(names(await cnf.simulator())).toEqual({ "firewall/v1/zones": ["lan"] });
  await bed.stop();
});
