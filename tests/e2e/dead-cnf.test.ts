import { keyOf, type ObjectKey } from "@kubewright/apimachinery";
import type { CnfSimulator } from "@kubewright/openwrt/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Cnf } from "./harness/cnf.ts";
import { collection } from "./harness/contents.ts";
import { eventually } from "./harness/eventually.ts";
import { ruleKind } from "./harness/rules.ts";
import { impatient, TestBed } from "./harness/test-bed.ts";

let bed: TestBed;
beforeAll(async () => {
  bed = await TestBed.start({
    cnfTimeouts: { requestTimeoutMs: 500, serviceTimeoutMs: 500 },
    session: impatient,
    checkIntervalMs: 500,
  });
});
afterAll(() => bed?.stop());

const FirewallRule = ruleKind("FirewallRule");
const names = Array.from({ length: 20 }, (_, index) => `rule-${index}`);

interface Line {
  readonly msg: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly state?: string;
  readonly pod?: { readonly namespace: string };
}

/** How a CNF ends without a change of its pod, and how it returns. */
const ends: readonly {
  readonly how: string;
  readonly quirks: boolean;
  readonly end: (pod: ObjectKey, simulator: CnfSimulator) => Promise<void> | void;
  readonly comeBack: (pod: ObjectKey, simulator: CnfSimulator) => Promise<void> | void;
}[] = [
  {
    how: "stops answering",
    quirks: true,
    end: (_pod, simulator) => simulator.hangNext({ count: 1_000_000 }),
    comeBack: (_pod, simulator) => simulator.clearFaults(),
  },
  {
    how: "refuses connections and is empty afterwards",
    quirks: false,
    end: (pod) => bed.cnfs.unplug(pod),
    comeBack: (pod) => bed.cnfs.plugIn(pod),
  },
];

describe("the rules of a CNF", () => {
  it.each(ends)(
    "report that it $how, and become ready again",
    async ({ quirks, end, comeBack }) => {
      const cnf = await bed.createCnf({ quirks });
      for (const [index, name] of names.entries())
        await cnf.create("FirewallRule", name, { proto: "tcp", dest_port: String(8_000 + index), target: "DROP" });
      await settled(cnf, "In Sync", "True");
      const pod = keyOf((await cnf.pods())[0] ?? expect.unreachable());
      const from = bed.log.length;
      const lines = () =>
        bed.log
          .slice(from)
          .map((text): Line => JSON.parse(text))
          .filter(({ namespace, pod: of }) => namespace === cnf.namespace || of?.namespace === cnf.namespace);
      const changes = () => lines().filter(({ msg }) => msg === "status changed");

      await end(pod, await cnf.simulator());
      await settled(cnf, "Trying to apply", "False");
      const before = lines().slice(
        0,
        lines().findIndex(({ msg }) => msg === "status changed"),
      );
      expect(failedRounds(before).length).toBeGreaterThanOrEqual(2);
      await eventually(() => expect(failedRounds(lines()).length).toBeGreaterThanOrEqual(8));
      expect(changes().filter(({ state }) => state === "In Sync")).toEqual([]);
      // Each rule is retried on its own, but its status changes at most once more, if it fails for another reason.
      for (const name of names) expect(changes().filter((line) => line.name === name).length).toBeLessThanOrEqual(2);

      await comeBack(pod, await cnf.simulator());
      await settled(cnf, "In Sync", "True");
      expect(collection(await cnf.simulator(), "firewall/v1/rules")).toHaveLength(names.length);
      expect(changes().filter(({ state }) => state === "In Sync").length).toBeLessThanOrEqual(2 * names.length);
    },
    120_000,
  );
});

/** Resolves once all rules have this state, and their conditions have this status. */
async function settled({ namespace }: Cnf, state: string, status: "True" | "False"): Promise<void> {
  const conditions = expect.arrayContaining(
    ["Ready", "Reachable"].map((type) => expect.objectContaining({ type, status })),
  );
  await eventually(async () => {
    const rules = await bed.client.list(FirewallRule, { namespace });
    expect(rules).toHaveLength(names.length);
    for (const rule of rules) expect(rule.status).toMatchObject({ state, conditions });
  }, 60_000);
}

/** Returns the log lines about failed checks of a CNF. */
const failedRounds = (lines: readonly Line[]): readonly Line[] =>
  lines.filter(({ msg }) => msg === "cannot read a CNF's objects");
