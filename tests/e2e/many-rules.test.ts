import type { CnfSimulator } from "@kubewright/openwrt/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Cnf } from "./harness/cnf.ts";
import { collection } from "./harness/contents.ts";
import { eventually } from "./harness/eventually.ts";
import { modes } from "./harness/modes.ts";
import { type RuleKindName, ruleKind, type Spec } from "./harness/rules.ts";
import { TestBed } from "./harness/test-bed.ts";

const count = 200;
/** Rules that are created in the same second are in the order of their names, so each may have to be written a second time. */
const maxRequests = 3 * count;
const fewestTooManyRestarts = 10;

let bed: TestBed;
beforeAll(async () => {
  bed = await TestBed.start();
});
afterAll(() => bed?.stop());

const match = { src_ip: "", src_port: "", dest_port: "", proto: "tcp", family: "ipv4", sticky: "0", timeout: "" };

const kinds = [
  {
    kind: "FirewallRule",
    path: "firewall/v1/rules",
    spec: (index: number) => ({ src_ip: `10.0.${index}.0/24`, proto: "tcp", dest_port: "80", target: "DROP" }),
  },
  {
    kind: "Mwan3Rule",
    path: "mwan3/v1/rules",
    spec: (index: number) => ({ ...match, policy: "balanced", dest_ip: `10.1.${index}.0/24` }),
  },
  {
    kind: "CNFRouteRule",
    path: "rule/v1/rules",
    spec: (index: number) => ({ src: `10.2.${index}.0/24`, table: "40" }),
  },
] satisfies { kind: RuleKindName; path: string; spec: (index: number) => Spec }[];

describe.each(modes)(`${count} rules at once for $mode`, ({ quirks }) => {
  let cnf: Cnf;
  let simulator: CnfSimulator;
  beforeAll(async () => {
    cnf = await bed.createCnf({ quirks });
    simulator = await cnf.simulator();
    await cnf.create("Mwan3Policy", "balanced", { members: [{ network: "net-a", metric: 1, weight: 1 }] });
    await cnf.inSync("Mwan3Policy", "balanced");
  });
  const states = async (kind: RuleKindName) => {
    const rules = await bed.client.list(ruleKind(kind), { namespace: cnf.namespace });
    return rules.map(({ status }) => status?.state);
  };
  const cost = () => ({
    requests: simulator.requests.total,
    restarts: simulator.requests.count({ path: /\/sdewan\/v1\/service\// }),
  });
  const expectLow = (what: string, seconds: number): void => {
    const { requests, restarts } = cost();
    console.info(`${what}: ${seconds.toFixed(1)} s, ${requests / count} requests per rule, ${restarts} restarts`);
    expect(requests).toBeLessThanOrEqual(maxRequests);
    expect(restarts).toBeLessThan(fewestTooManyRestarts);
  };
  const secondsSince = (began: number): number => (performance.now() - began) / 1_000;

  it.each(kinds)(
    "of kind $kind need few requests and restarts, when created and when deleted",
    async ({ kind, path, spec }) => {
      const indices = Array.from({ length: count }, (_, index) => index);
      simulator.requests.clear();
      const began = performance.now();
      await Promise.all(indices.map((index) => cnf.create(kind, `rule-${index}`, spec(index))));
      await eventually(async () => expect(await states(kind)).toEqual(Array(count).fill("In Sync")), 60_000);
      const names = collection(simulator, path).map((object) => String(object.name).replace("_", "-"));
      expect(names.sort()).toEqual(indices.map((index) => `rule-${index}`).sort());
      expectLow(`${kind} created`, secondsSince(began));

      simulator.requests.clear();
      const over = performance.now();
      await bed.client.deleteCollection(ruleKind(kind), { namespace: cnf.namespace });
      await eventually(async () => expect(await states(kind)).toEqual([]), 60_000);
      expect(collection(simulator, path)).toEqual([]);
      expectLow(`${kind} deleted`, secondsSince(over));
    },
  );
});
