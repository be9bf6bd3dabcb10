import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Metrics } from "@kubewright/manager";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { cnfMetrics } from "./cnf-metrics.ts";

const kubectl = { meta: { needs: "kubectl on the PATH" } };
const needs = { meta: { needs: "promtool: npm run promtool -w sdewan-operator builds it, with Go" } };

type Texts = Readonly<Record<string, string>>;
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Texts;
  readonly annotations: Texts;
}
interface AlertTest {
  readonly alertname: string;
  readonly exp_alerts?: readonly { readonly exp_labels: Texts; readonly exp_annotations: Texts }[];
}

const config = fileURLToPath(new URL("../../config", import.meta.url));
const folder = (name: string): string => join(config, "monitoring", name);
const repository = fileURLToPath(new URL("../../../..", import.meta.url));
const guidePath = "docs/sdewan/alerts.md";
/** Address of the page while `npx kubewright docs` is running. */
const page = "http://127.0.0.1:8091/sdewan/alerts";
const guide = readFileSync(join(repository, guidePath), "utf8");
const { spec } = parse(readFileSync(folder("rules.yaml"), "utf8")) as {
  spec: { groups: { rules: Rule[] }[] };
};
const rules = spec.groups.flatMap((group) => group.rules);
/** Alerts that every program has. */
const generated = [...readFileSync(join(config, "prometheus/rules.yaml"), "utf8").matchAll(/- alert: (\w+)/g)].map(
  ([, alert = ""]) => ({ alert }),
);
const { tests } = parse(readFileSync(folder("rules_test.yaml"), "utf8")) as {
  tests: { alert_rule_test: AlertTest[] }[];
};
const expected = tests.flatMap((test) => test.alert_rule_test).filter((test) => test.exp_alerts !== undefined);

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Returns the expected annotation for an alert with these labels. The value comes from Prometheus, so it may be anything. */
function annotationOf(text: string, labels: Texts): RegExp {
  const parts = text.split(/(\{\{.*?\}\})/).map((part) => {
    const [, label] = /^\{\{ *\$labels\.(\w+) *\}\}$/.exec(part) ?? [];
    if (label !== undefined) return literal(labels[label] ?? `(no label ${label})`);
    return part.startsWith("{{") ? ".+" : literal(part);
  });
  return new RegExp(`^${parts.join("")}$`);
}

const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
const promtool = ["promtool", join(cache, "kubewright", "promtool", "promtool")].find(
  (program) => spawnSync(program, ["--version"]).status === 0,
);
if (!promtool)
  console.info(
    "promtool is missing, so the alert rules are not tested; build it with `npm run promtool`, which needs Go",
  );

describe("the alert rules", () => {
  it("use only existing metrics", async () => {
    const metrics = new Metrics();
    cnfMetrics(metrics, { records: () => [], groups: () => [], tunnelsOf: () => ({ tunnels: 0, started: 0 }) });
    const served = [...(await metrics.metrics()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    const names = rules.flatMap(({ expr }) => expr.match(/sdewan_\w+/g) ?? []);
    expect(names.filter((name) => !served.includes(name))).toEqual([]);
    expect(names.length).toBeGreaterThanOrEqual(rules.length);
  });

  it("are different from the alerts that every program has", () => {
    const theirs = generated.map(({ alert }) => alert);
    expect(theirs.length).toBeGreaterThan(5);
    expect(rules.filter(({ alert }) => theirs.includes(alert))).toEqual([]);
  });

  it("each have a section in the guide, which has no others", () => {
    const headings = [...guide.matchAll(/^## (Sdewan\w+)$/gm)].map(([, name]) => name);
    expect(headings).toEqual(rules.map(({ alert }) => alert));
  });

  it("each link to their section of the guide", () => {
    // Headings of one word become lower-case anchors.
    const anchors = [...guide.matchAll(/^## (\w+)$/gm)].map(([, name = ""]) => `${page}#${name.toLowerCase()}`);
    const led = rules.map(({ alert, annotations }) => [alert, annotations.runbook_url]);
    expect(led).toEqual(rules.map(({ alert }) => [alert, `${page}#${alert.toLowerCase()}`]));
    expect(led.filter(([, url]) => !anchors.includes(url ?? ""))).toEqual([]);
  });

  it("each have a test", () => {
    const tested = expected.map(({ alertname }) => alertname);
    expect(rules.filter(({ alert }) => !tested.includes(alert))).toEqual([]);
  });

  it("have tests that contain their annotations", () => {
    for (const { alertname, exp_alerts = [] } of expected) {
      const rule = rules.find(({ alert }) => alert === alertname);
      for (const { exp_labels, exp_annotations } of exp_alerts) {
        const desired = Object.entries(rule?.annotations ?? {}).map(([name, text]) => [
          name,
          expect.stringMatching(annotationOf(text, exp_labels)),
        ]);
        expect({ alertname, ...exp_annotations }).toEqual({ alertname, ...Object.fromEntries(desired) });
        expect({ alertname, ...exp_labels }).toMatchObject({ alertname, ...rule?.labels });
      }
    }
  });
});

const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
if (!hasKubectl) console.info("kubectl is missing, so the overlay of the guide is not built");

describe.skipIf(!hasKubectl)("the overlay of the guide", kubectl, () => {
  it("sets the runbook address of each alert to your own site", () => {
    const place = mkdtempSync(join(tmpdir(), "sdewan-operator-runbooks-"));
    try {
      cpSync(config, place, { recursive: true });
      mkdirSync(join(place, "overlays", "prod"), { recursive: true });
      const [, overlay = ""] = /^```yaml\n(.*?)^```$/ms.exec(guide) ?? [];
      writeFileSync(join(place, "overlays", "prod", "kustomization.yaml"), overlay);
      const args = ["kustomize", join(place, "overlays", "prod")];
      const { stdout, stderr } = spawnSync("kubectl", args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
      expect(stderr).toBe("");
      const urls = [...stdout.matchAll(/runbook_url: (.*)$/gm)].map(([, url]) => url);
      const site = "https://docs.example.com";
      const own = rules.map(({ alert }) => `${site}/sdewan/alerts#${alert.toLowerCase()}`);
      const everybodys = generated.map(({ alert }) => `${site}/guide/alerts#${alert.toLowerCase()}`);
      expect(urls.toSorted()).toEqual([...own, ...everybodys].sort());
      expect(stdout).not.toContain("name: runbooks");
    } finally {
      rmSync(place, { recursive: true });
    }
  });
});

describe.skipIf(!promtool)("promtool", needs, () => {
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

  it("finds no errors in the rules", () => {
    expect(run("check", "rules", "groups.yaml")).toEqual({
      status: 0,
      output: expect.stringContaining(`SUCCESS: ${rules.length} rules found`),
    });
  });

  it("fires the alerts when it should, and only then", () => {
    expect(run("test", "rules", "rules_test.yaml")).toEqual({ status: 0, output: expect.stringContaining("SUCCESS") });
  });
});
