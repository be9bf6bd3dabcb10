import { FirewallRule } from "sdewan-operator";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { expectReady } from "./harness/fields-of.ts";
import { impatient, TestBed } from "./harness/test-bed.ts";

let bed: TestBed;
beforeAll(async () => {
  // Prevents other reconciles meanwhile.
  bed = await TestBed.start({ session: impatient, checkIntervalMs: 3_600_000 });
});
afterAll(() => bed?.stop());

it("a status that another process writes to a rule is corrected", async () => {
  const cnf = await bed.createCnf({ quirks: false });
  await cnf.create("FirewallRule", "a", { proto: "tcp", dest_port: "23", target: "DROP" });
  await cnf.inSync("FirewallRule", "a");
  const key = { namespace: cnf.namespace, name: "a" };
  for (const late of [{ state: "Trying to apply", message: "no answer" }, { message: "no answer" }]) {
    await bed.client.status.patch(FirewallRule, key, late);
    await eventually(async () => {
      const { status } = await bed.client.get(FirewallRule, key);
      expect(status?.state).toBe("In Sync");
      expectReady(status);
      expect(status).not.toHaveProperty("message");
    });
  }
});
