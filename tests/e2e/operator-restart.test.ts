import type { CnfSimulator } from "@kubewright/openwrt/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Cnf } from "./harness/cnf.ts";
import { names } from "./harness/contents.ts";
import { eventually } from "./harness/eventually.ts";
import { modes } from "./harness/modes.ts";
import { createEachKind, heldOfEachKind, oneOfEach } from "./harness/one-of-each.ts";
import { impatient, TestBed } from "./harness/test-bed.ts";

let bed: TestBed;
beforeAll(async () => {
  bed = await TestBed.start({ checkIntervalMs: 500, session: impatient });
});
afterAll(() => bed?.stop());

const reported: readonly string[] = ["IpsecHost", "IpsecSite", "Mwan3Policy"];
const hasEffect: unknown = expect.arrayContaining([expect.objectContaining({ type: "Effective", status: "True" })]);

describe.each(modes)("a restarted operator on $mode", ({ quirks }) => {
  let cnf: Cnf;
  let simulator: CnfSimulator;
  beforeAll(async () => {
    cnf = await bed.createCnf({ quirks });
    simulator = await cnf.simulator();
    await createEachKind(cnf);
    // The CNF's first report changes the condition Effective of these objects.
    await eventually(async () => {
      for (const [kind, name] of oneOfEach)
        if (reported.includes(kind)) {
          const { status } = await cnf.get(kind, name);
          expect(status).toMatchObject({ conditions: hasEffect });
        }
    }, 30_000);
  });
  const versions = () =>
    Promise.all(oneOfEach.map(async ([kind, name]) => (await cnf.get(kind, name)).metadata.resourceVersion));

  it("reads, and writes neither to the CNF nor to the resources", async () => {
    const before = await versions();
    await bed.stopOperator();
    simulator.requests.clear();
    bed.startOperator();
    // A rule that is created now becomes in sync after all existing ones were reconciled.
    await cnf.create("CNFRouteRule", "marker", { src: "10.3.0.0/24", table: "40" });
    await cnf.inSync("CNFRouteRule", "marker");
    // Requests for the status, and restarts of IPsec for tunnels that are down, belong to CNFStatus.
    const isStatus = ({ path }: { readonly path: string }): boolean => /\/v1\/(status|service\/ipsec)\b/.test(path);
    const asked = () => simulator.requests.entries.filter((entry) => !isStatus(entry));
    await expect
      .poll(() => new Set(asked().map(({ path }) => path.split("/").slice(4, 7).join("/"))), {
        timeout: 30_000,
      })
      .toEqual(new Set([...Object.keys(heldOfEachKind), ""]));
    await cnf.delete("CNFRouteRule", "marker");
    await cnf.gone("CNFRouteRule", "marker");

    const written = asked().filter(({ method, path }) => method !== "GET" && !path.endsWith("/luci/"));
    expect(written.map(({ method, path, body }) => [method, path, body.includes("marker")])).toEqual([
      ["POST", expect.stringMatching(/rule\/v1\/rules\/?$/), true],
      ["DELETE", expect.stringMatching(/rule\/v1\/rules\/marker$/), false],
    ]);
    expect(await versions()).toEqual(before);
    expect(names(simulator)).toEqual(heldOfEachKind);
  });

  it("catches up on changes made while it was down", async () => {
    await bed.stopOperator();
    await cnf.delete("FirewallRule", "no-telnet");
    await cnf.update("CNFRoute", "to-branch", { dst: "172.29.0.0/16", dev: "net2", table: "cnf" });
    await cnf.create("CNFRouteRule", "meanwhile", { src: "10.3.0.0/24", table: "40" });
    bed.startOperator();
    await cnf.gone("FirewallRule", "no-telnet");
    await cnf.inSync("CNFRoute", "to-branch");
    await cnf.inSync("CNFRouteRule", "meanwhile");
    expect(names(simulator)).toMatchObject({ "rule/v1/rules": ["from-branch", "meanwhile"] });
    expect(names(simulator)["firewall/v1/rules"]).toBeUndefined();
    expect(simulator.kernel.routesOf("40")).toEqual(["172.29.0.0/16 dev net2"]);
  });
});
