import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Metrics } from "@kubewright/manager";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { cnfMetrics } from "./cnf-metrics.ts";

const folder = (name: string): string => fileURLToPath(new URL(`../../config/monitoring/${name}`, import.meta.url));
const guide = fileURLToPath(new URL("../../../../docs/guide/12-sdewan-alerts.md", import.meta.url));
const { spec } = parse(readFileSync(folder("rules.yaml"), "utf8")) as {
  spec: { groups: { rules: { alert: string; expr: string }[] }[] };
};
const rules = spec.groups.flatMap((group) => group.rules);

const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
const promtool = ["promtool", join(cache, "kubewright", "promtool", "promtool")].find(
  (program) => spawnSync(program, ["--version"]).status === 0,
);
if (!promtool) console.info("promtool is not here: the alert rules are not run; `npm run promtool` builds it, with Go");

describe("the alert rules", () => {
  it("ask for no series but those that there are", async () => {
    const metrics = new Metrics();
    cnfMetrics(metrics, { records: () => [], groups: () => [], tunnelsOf: () => ({ tunnels: 0, started: 0 }) });
    const served = [...(await metrics.metrics()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    const asked = rules.flatMap(({ expr }) => expr.match(/sdewan_\w+/g) ?? []);
    expect(asked.filter((name) => !served.includes(name))).toEqual([]);
    expect(asked.length).toBeGreaterThanOrEqual(rules.length);
  });

  it("each have a part of the guide, which has no others", () => {
    const headings = [...readFileSync(guide, "utf8").matchAll(/^## (Sdewan\w+)$/gm)].map(([, name]) => name);
    expect(headings).toEqual(rules.map(({ alert }) => alert));
  });

  it("each have a test", () => {
    const tested = readFileSync(folder("rules_test.yaml"), "utf8");
    expect(rules.filter(({ alert }) => !tested.includes(`alertname: ${alert}\n        exp_alerts`))).toEqual([]);
  });
});

describe.skipIf(!promtool)("promtool", () => {
  const place = mkdtempSync(join(tmpdir(), "sdewan-operator-rules-"));
  beforeAll(() => {
    writeFileSync(join(place, "groups.yaml"), stringify(spec));
    copyFileSync(folder("rules_test.yaml"), join(place, "rules_test.yaml"));
  });
  afterAll(() => rmSync(place, { recursive: true }));
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(promtool ?? "", args, { cwd: place, encoding: "utf8" });
    return { status, output: `${stdout}${stderr}` };
  };

  it("finds nothing wrong with the rules", () => {
    expect(run("check", "rules", "groups.yaml")).toEqual({
      status: 0,
      output: expect.stringContaining(`SUCCESS: ${rules.length} rules found`),
    });
  });

  it("has them fire when they should, and only then", () => {
    expect(run("test", "rules", "rules_test.yaml")).toEqual({ status: 0, output: expect.stringContaining("SUCCESS") });
  });
});
