import type { CnfSimulator } from "@kubewright/openwrt/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Cnf } from "./harness/cnf.ts";
import { named, names, section, sections, serviceCommands } from "./harness/contents.ts";
import { eventually } from "./harness/eventually.ts";
import { modes } from "./harness/modes.ts";
import { ruleKindNames } from "./harness/rules.ts";
import { ruleScenarios } from "./harness/scenarios.ts";
import { impatient, TestBed } from "./harness/test-bed.ts";

let bed: TestBed;
beforeAll(async () => {
  bed = await TestBed.start({ session: impatient });
});
afterAll(() => bed?.stop());

it("has a scenario for every rule kind", () => {
  expect(ruleScenarios.map(({ kind }) => kind)).toEqual(ruleKindNames);
});

describe.each(modes)("on $mode", ({ quirks }) => {
  let cnf: Cnf;
  let simulator: CnfSimulator;
  beforeAll(async () => {
    cnf = await bed.createCnf({ quirks });
    simulator = await cnf.simulator();
  });

  it.each(ruleScenarios)("$kind is created, changed and deleted", async (scenario) => {
    const { kind, name, needs = [], collection, uci, service, effects, effect } = scenario;
    const before = sections(simulator);
    const effectsBefore = effects?.(simulator);
    for (const need of needs) await cnf.create(...need);
    for (const [needed, neededName] of needs) await cnf.inSync(needed, neededName);
    let commandCount = serviceCommands(simulator).length;

    await cnf.create(kind, name, scenario.spec);
    const created = await cnf.inSync(kind, name);
    expect(named(simulator, collection, name)).toMatchObject([scenario.shows]);
    expect(section(simulator, uci, name)).toBe(true);
    if (effect !== undefined) expect(effects?.(simulator)).toContain(effect);
    if (service === undefined) expect(serviceCommands(simulator)).toHaveLength(commandCount);
    else expect(serviceCommands(simulator).slice(commandCount)).toContain(service);
    expect(created.spec).toEqual(scenario.spec);
    expect(created.metadata.finalizers).toEqual([expect.stringMatching(/\.finalizers\.sdewan\.akraino\.org$/)]);

    commandCount = serviceCommands(simulator).length;
    await cnf.update(kind, name, scenario.changed);
    const changed = await cnf.inSync(kind, name);
    expect(changed.status?.appliedGeneration).toBe(2);
    expect(named(simulator, collection, name)).toMatchObject([scenario.thenShows]);
    if (effect !== undefined) expect(effects?.(simulator)).not.toContain(effect);
    if (service !== undefined) expect(serviceCommands(simulator).slice(commandCount)).toContain(service);

    commandCount = serviceCommands(simulator).length;
    await cnf.delete(kind, name);
    await cnf.gone(kind, name);
    expect(named(simulator, collection, name)).toEqual([]);
    expect(section(simulator, uci, name)).toBe(false);
    if (service !== undefined) expect(serviceCommands(simulator).slice(commandCount)).toContain(service);

    for (const [needed, neededName] of needs.toReversed()) await cnf.delete(needed, neededName);
    for (const [needed, neededName] of needs) await cnf.gone(needed, neededName);
    expect(sections(simulator)).toEqual(before);
    expect(effects?.(simulator)).toEqual(effectsBefore);
  });

  it("maps names that a CNF cannot have to valid ones, also in references", async () => {
    await cnf.create("FirewallZone", "a-zone-with-a-long-name", { network: ["net-a"] });
    await cnf.create("FirewallRule", "a-rule.with-dots", { src: "a-zone-with-a-long-name", target: "DROP" });
    await cnf.create("Mwan3Policy", "a-policy", { members: [{ network: "net-a", metric: 1, weight: 1 }] });
    const match = {
      src_ip: "",
      src_port: "",
      dest_ip: "",
      dest_port: "",
      proto: "all",
      family: "all",
      sticky: "",
      timeout: "",
    };
    await cnf.create("Mwan3Rule", "a-rule", { policy: "a-policy", ...match });
    await cnf.inSync("FirewallRule", "a-rule.with-dots");
    await cnf.inSync("Mwan3Rule", "a-rule");

    const held = names(simulator);
    const [zone] = held["firewall/v1/zones"] ?? [];
    expect(String(zone).length).toBeLessThanOrEqual(11);
    expect(named(simulator, "firewall/v1/rules", "a-rule.with-dots")).toEqual([expect.objectContaining({ src: zone })]);
    expect(held["mwan3/v1/policies"]).toEqual(["a_policy"]);
    expect(named(simulator, "mwan3/v1/rules", "a_rule")).toEqual([expect.objectContaining({ policy: "a_policy" })]);

    await cnf.delete("FirewallZone", "a-zone-with-a-long-name");
    await cnf.delete("FirewallRule", "a-rule.with-dots");
    await cnf.delete("Mwan3Policy", "a-policy");
    await cnf.delete("Mwan3Rule", "a-rule");
    await eventually(() => expect(names(simulator)).toEqual({}));
  });
});
