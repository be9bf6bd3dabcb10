import type { CnfSimulator } from "@kubewright/openwrt/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Cnf } from "./harness/cnf.ts";
import { collection } from "./harness/contents.ts";
import { eventually } from "./harness/eventually.ts";
import { modes } from "./harness/modes.ts";
import { type RuleKindName, ruleKind, type Spec } from "./harness/rules.ts";
import { TestBed } from "./harness/test-bed.ts";

const count = 200;
/** Maximum number of requests for each deleted rule. */
const maxDeletionRequests = 2.1;
/** Interval at which the operator moves rules into their order while more rules arrive. */
const moveSeconds = 4;
/**
 * Returns the maximum number of requests for each created rule. Rules do not arrive in the order of their creation and names, so each is
 * written once, and once more for each time that the operator moves the rules: once, unless the machine needs many seconds to create them.
 */
const maxCreationRequests = (seconds: number): number => 1.1 + Math.max(1, Math.ceil(seconds / moveSeconds) - 1);
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
  const expectLow = (what: string, seconds: number, maxRequests: number): void => {
    const { requests, restarts } = cost();
    console.info(`${what}: ${seconds.toFixed(1)} s, ${requests / count} requests per rule, ${restarts} restarts`);
    expect(requests / count).toBeLessThanOrEqual(maxRequests);
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
      const seconds = secondsSince(began);
      expectLow(`${kind} created`, seconds, maxCreationRequests(seconds));

      simulator.requests.clear();
      const over = performance.now();
      await bed.client.deleteCollection(ruleKind(kind), { namespace: cnf.namespace });
      await eventually(async () => expect(await states(kind)).toEqual([]), 60_000);
      expect(collection(simulator, path)).toEqual([]);
      expectLow(`${kind} deleted`, secondsSince(over), maxDeletionRequests);
    },
  );
});
