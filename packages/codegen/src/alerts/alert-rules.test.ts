import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { DescribedWebhook, ProgramDescription } from "@kubewright/rbac";
import { expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { kustomizeFiles } from "../deploy/kustomize-files.ts";
import type { AlertRule } from "./alert-rules.ts";

const repository = fileURLToPath(new URL("../../../..", import.meta.url));
const guidePath = "docs/guide/alerts.md";
const guide = readFileSync(join(repository, guidePath), "utf8");
const rulesTest = new URL("testing/rules_test.yaml", import.meta.url);

const site = { group: "shop.example.com", plural: "sites", kind: "Site", version: "v1", scope: "Namespaced" } as const;
const webhook: DescribedWebhook = { type: "mutating", path: "/mutate", resource: site, operations: ["CREATE"] };
const bare: ProgramDescription = {
  name: "shop",
  kinds: [],
  controllers: [],
  webhooks: [],
  permissions: [],
  caches: [],
  metrics: { isAuthenticated: false, port: 8080 },
};
const whole: ProgramDescription = { ...bare, webhooks: [webhook], leaderElection: { id: "shop" } };

/** Content of `config/prometheus/rules.yaml`. */
function rulesOf(description: ProgramDescription): readonly AlertRule[] {
  const file = kustomizeFiles(description).find(({ path }) => path === "prometheus/rules.yaml");
  const { spec } = parse(file?.text ?? "") as { spec: { groups: { rules: AlertRule[] }[] } };
  return spec.groups.flatMap(({ rules }) => rules);
}
const rules = rulesOf(whole);
const namesOf = (some: readonly AlertRule[]): string[] => some.map(({ alert }) => alert);

it("has alerts only for existing features", () => {
  expect(namesOf(rules).filter((name) => !namesOf(rulesOf(bare)).includes(name))).toEqual([
    "KubewrightNoLeader",
    "KubewrightWebhookCertificateEnds",
    "KubewrightWebhookPanics",
  ]);
  const unserved = { ...whole, metrics: { isAuthenticated: false } };
  expect(kustomizeFiles(unserved).filter(({ path }) => path.startsWith("prometheus/"))).toEqual([]);
  const files = new Map(kustomizeFiles(whole).map(({ path, text }) => [path, text]));
  expect(files.get("prometheus/kustomization.yaml")).toContain("  - monitor.yaml\n  - rules.yaml\n");
  expect(files.get("default/kustomization.yaml")).not.toContain("  - ../prometheus");
});

it("links each alert to its section of the guide", () => {
  const headings = [...guide.matchAll(/^## (Kubewright\w+)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(namesOf(rules));
  const led = rules.map(({ annotations }) => annotations.runbook_url);
  const page = guidePath.replace(/^docs|\.md$/g, "");
  expect(led).toEqual(headings.map((name = "") => `http://127.0.0.1:8091${page}#${name.toLowerCase()}`));
});

it("has tests in which each alert fires, and does not fire", () => {
  const { tests } = parse(readFileSync(rulesTest, "utf8")) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts?: object[] }[] }[];
  };
  const all = tests.flatMap((test) => test.alert_rule_test);
  const named = (fires: boolean) =>
    new Set(all.filter((one) => (one.exp_alerts !== undefined) === fires).map(({ alertname }) => alertname));
  expect([...named(true)].sort()).toEqual(namesOf(rules).toSorted());
  expect([...named(false)].sort()).toEqual(namesOf(rules).toSorted());
});

const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
const promtool = ["promtool", join(cache, "kubewright", "promtool", "promtool")].find(
  (program) => spawnSync(program, ["--version"]).status === 0,
);

it("passes the tests of promtool", ({ skip }) => {
  if (!promtool) skip("needs promtool: npm run promtool -w sdewan-operator builds it, with Go");
  const folder = mkdtempSync(join(tmpdir(), "kubewright-rules-"));
  try {
    writeFileSync(join(folder, "groups.yaml"), stringify({ groups: [{ name: "shop", rules }] }));
    writeFileSync(join(folder, "rules_test.yaml"), readFileSync(rulesTest));
    const run = (...args: string[]): string => {
      const { stdout, stderr } = spawnSync(promtool ?? "", args, { cwd: folder, encoding: "utf8" });
      return `${stdout}${stderr}`;
    };
    expect(run("check", "rules", "groups.yaml")).toContain(`SUCCESS: ${rules.length} rules found`);
    expect(run("test", "rules", "rules_test.yaml")).toMatch(/^\s*(?:Unit Testing: .*)?\s*SUCCESS\s*$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
