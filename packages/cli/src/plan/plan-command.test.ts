import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { PlanReport } from "@kubewright/simulation/plan";
import { afterEach, beforeEach, expect, it } from "vitest";
import { main } from "../main.ts";
import { recordedIo } from "../testing/recorded-io.ts";
import { planLines } from "./plan-command.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(import.meta.dirname, "../../.planned-"));
  writeFileSync(join(folder, "operator.ts"), "export function setup() {}\n");
  const cluster = { server: "http://127.0.0.1:1" };
  writeFileSync(
    join(folder, "kubeconfig"),
    JSON.stringify({
      clusters: [{ name: "dead", cluster }],
      contexts: [{ name: "dead", context: { cluster: "dead" } }],
      "current-context": "dead",
    }),
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

async function plan(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const io = { ...recordedIo({ PATH: process.env.PATH }), cwd: folder };
  const code = await main(["plan", ...words], io);
  return { code, ...io.written };
}

it.each([
  [[], "not in a kubewright project"],
  [["--entry", "missing.ts"], '--entry "missing.ts" does not exist; pass the module'],
  [["--entry", "operator.ts", "--max-copy", "1G"], '--max-copy "1G" is not a number of MiB'],
  [["--entry", "operator.ts", "-f", "missing.yaml"], "missing.yaml: "],
  [["--entry", "operator.ts", "--", "true"], "--entry and a program after -- cannot be used together"],
  [["--allow", "a:1", "--", "true"], "--allow requires a program in this project"],
  [["-o", "yaml"], "Allowed choices are json"],
  [
    ["--entry", "operator.ts", "--kubeconfig", "kubeconfig", "--allow", "10.0.0.7"],
    '--allow "10.0.0.7" is not a host and a port, such as 10.0.0.7:443',
  ],
])("refuses %j", async (words, message) => {
  const { code, err } = await plan(...words);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
});

it("reports a cluster that cannot be reached", async () => {
  const { code, err } = await plan("--entry", "operator.ts", "--kubeconfig", "kubeconfig");
  expect({ code, err }).toEqual({ code: 3, err: expect.stringMatching(/127\.0\.0\.1:1/) });
});

it("prints each change with its cause", () => {
  const about = { apiVersion: "v1", namespace: "shop" };
  const fields = [
    { path: "spec.template.spec.containers[web].image", from: "nginx:1.27", to: "nginx:1.29" },
    { path: "spec.replicas", to: 2 },
    { path: "data.password" },
  ];
  const report: PlanReport = {
    changes: [
      { ...about, action: "change", kind: "Deployment", name: "north", cause: "Site shop/north", fields },
      { ...about, action: "create", kind: "Service", name: "south", cause: "Site shop/south", fields: [] },
    ],
    unknown: [{ object: "Site shop/east", reason: "wanted 10.0.0.7:443, refused (--allow 10.0.0.7:443)" }],
    unchanged: 211,
    reconciles: 226,
    revision: "7",
    limits: ["other operators did not run"],
  };
  expect(planLines(report)).toEqual([
    "~ Deployment shop/north  spec.template.spec.containers[web].image: nginx:1.27 → nginx:1.29  (Site shop/north)",
    "                         spec.replicas: (absent) → 2",
    "                         data.password: value hidden",
    "+ Service    shop/south                                                                     (Site shop/south)",
    "! Site       shop/east   wanted 10.0.0.7:443, refused (--allow 10.0.0.7:443)",
    "Plan: 1 to create, 1 to change, 0 to delete, 211 unchanged, 1 unknown; settled after 226 reconciles",
    "Note: other operators did not run",
  ]);
});
