import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";
import { describeProgram } from "./describe-program.ts";

const site = ["--group", "shop", "--version", "v1", "--kind", "Site"];

it("reports stale files, updates them, and removes those no longer generated", async () => {
  using project = new ProjectFolder();
  await project.init();
  await project.run("create", "api", ...site);
  const write = (path: string, text: string): void => writeFileSync(join(project.root, path), text);
  const api = project.files()["src/api/site.ts"] ?? "";
  write("src/api/site.ts", api.replace("Message of the object", "Text of the object"));
  const { code, err } = await project.run("generate", "--check");
  expect(code).toBe(1);
  expect(err).toBe(
    "config/crd/bases/shop.example.com_sites.yaml is stale; run kubewright generate\ndocs/reference/site.md is stale; run kubewright generate\n",
  );
  expect(await project.run("generate", "crd")).toEqual({
    code: 0,
    out: "  config/crd/bases/shop.example.com_sites.yaml\n",
    err: "",
  });
  expect((await project.run("generate")).out).toBe("  docs/reference/site.md\n");

  write("config/crd/old.yaml", "# Written by kubewright generate; change src/, or patch in config/overlays\n");
  write("config/crd/mine.yaml", "# mine\n");
  expect((await project.run("generate", "--check")).err).toContain("config/crd/old.yaml is stale");
  expect((await project.run("generate")).out).toBe("  config/crd/old.yaml (removed)\n");
  expect(project.files()["config/crd/mine.yaml"]).toBe("# mine\n");
  expect(await project.run("generate", "crds")).toMatchObject({ code: 2 });

  const paths = [
    "default/kustomization.yaml",
    "grafana/kubewright-metrics.json",
    "manager/manager.yaml",
    "samples/Kustomization",
  ];
  for (const path of paths) rmSync(join(project.root, "config", path));
  const all = await project.run("generate", "--check");
  expect(all.err.trimEnd().split("\n").sort()).toEqual(
    paths.map((path) => `config/${path} is stale; run kubewright generate`),
  );
  expect((await project.run("generate")).out.match(/\S+/g)?.sort()).toEqual(paths.map((path) => `config/${path}`));

  const sample = Object.keys(project.files()).find((path) => /^config\/samples\/.*\.yaml$/.test(path)) ?? "";
  rmSync(join(project.root, sample));
  write("config/samples/kustomization.yaml", "resources: []\n");
  expect((await project.run("generate")).out).toBe("  config/samples/Kustomization (removed)\n");
  expect(project.files()).not.toHaveProperty([sample]);
}, 300_000);

it("generates dashboards and chart separately, and the chart only on request", async () => {
  using project = new ProjectFolder();
  await project.init();
  expect((await project.run("generate", "helm")).out).toContain("  config/chart/values.yaml\n");
  expect((await project.run("generate", "dashboards")).out.split("\n")).toHaveLength(4);
  expect(Object.keys(project.files()).filter((path) => /^config\/(?!chart|grafana)/.test(path))).toEqual([]);
  rmSync(join(project.root, "config/chart"), { recursive: true });
  expect((await project.run("generate")).out).not.toContain("chart");
  expect(await project.run("generate", "--check")).toMatchObject({ code: 0 });
  expect((await project.run("generate", "helm", "--check")).err).toContain("config/chart/Chart.yaml is stale");
}, 300_000);

it("takes the Deployment's settings from kubewright.json, and roles from recorded tests", async () => {
  using project = new ProjectFolder();
  await project.init();
  const record = JSON.parse(project.files()["kubewright.json"] ?? "");
  const write = (path: string, value: object): void => {
    mkdirSync(join(project.root, dirname(path)), { recursive: true });
    writeFileSync(join(project.root, path), `${JSON.stringify(value)}\n`);
  };
  const deployment = {
    namespace: "mall",
    image: "example.com/shop:v7",
    replicas: 2,
    args: ["--leader-elect", "--loud"],
  };
  write("kubewright.json", { ...record, deployment, roles: { manager: { team: "shop" } } });
  write("config/rbac/observed.json", { permissions: [{ group: "apps", resource: "deployments", verbs: ["patch"] }] });
  expect((await project.run("generate")).code).toBe(0);
  const files = project.files();
  expect(files["config/manager/manager.yaml"]).toMatch(
    /namespace: mall[\s\S]*replicas: 2[\s\S]*--loud[\s\S]*image: example.com\/shop:v7/,
  );
  expect(files["config/rbac/role.yaml"]).toContain("  annotations:\n    team: shop\n");
  expect(files).toHaveProperty(["config/manager/pod_disruption_budget.yaml"]);
  expect(files["config/manager/manager.yaml"]).toContain("topologySpreadConstraints");
  expect(files["config/rbac/role.yaml"]).toMatch(/deployments\n {4}verbs:\n {6}- patch/);

  write("config/rbac/observed.json", { permissions: [{ group: "apps" }] });
  expect(await project.run("generate")).toMatchObject({
    code: 1,
    err: 'config/rbac/observed.json: permissions[0]: {"group":"apps"}: must contain a group, a resource and a list of verbs; delete the file and record again\n',
  });
  write("kubewright.json", { ...record, deployment: { replicas: "two" } });
  expect((await project.run("generate")).err).toMatch(
    /kubewright.json: deployment.replicas: "two": must be a number, such as 2\n$/,
  );
  write("kubewright.json", { ...record, roles: { viewer: { team: 1 } } });
  expect((await project.run("generate")).err).toContain('roles.viewer: {"team":1}: must be annotations, such as');
  for (const [rbac, wrong] of [
    [{ aggregate: "yes" }, 'rbac.aggregate: "yes": must be true or false'],
    [{ notInView: "Site" }, 'rbac.notInView: "Site": must be a list of kinds, such as ["Site"]'],
    [{ apart: { "Secret Reader": ["secrets"] } }, "must be an object with a list of resources for each role, such as"],
  ] as const) {
    write("kubewright.json", { ...record, rbac });
    expect((await project.run("generate")).err).toContain(wrong);
  }
  write("config/rbac/observed.json", { permissions: [{ group: "", resource: "secrets", verbs: ["get"] }] });
  write("kubewright.json", { ...record, rbac: { apart: { "secret-reader": ["secrets"] } } });
  expect((await project.run("generate")).code).toBe(0);
  expect(project.files()["config/rbac/secret_reader_role.yaml"]).toContain("- secrets");
  expect(project.files()["config/rbac/role.yaml"] ?? "").not.toContain("- secrets");
  write("kubewright.json", { ...record, deployment: { replica: 2 } });
  expect(await project.run("generate")).toMatchObject({
    code: 2,
    err: expect.stringContaining("deployment.replica: is not a setting"),
  });
}, 300_000);

it("reports the line of the project's code that fails", async () => {
  using project = new ProjectFolder();
  await project.init();
  const operator = (text: string): void => writeFileSync(join(project.root, "src/operator.ts"), text);
  operator('export function setup(): void {\n  throw new Error("no colour");\n}\n');
  expect(await project.run("generate")).toMatchObject({ code: 1, err: "src/operator.ts:2:9: no colour\n" });
  // A file that cannot be parsed has no stack frame in the project; its location is above the message.
  operator("export const setup = {\n  a: 1 );\n");
  expect(await project.run("generate")).toMatchObject({ code: 1, err: "src/operator.ts:2: Expected ',', got ')'\n" });
  operator('import { Colour } from "kubewright";\nexport const setup = () => Colour;\n');
  expect((await project.run("generate")).err).toBe(
    "src/operator.ts:1: The requested module 'kubewright' does not provide an export named 'Colour'\n",
  );
  operator("export const setUp = 1;\n");
  expect((await project.run("generate")).err).toContain("src/operator.ts does not export a function named setup");
  operator("export const setup = () => new Promise(() => {});\n");
  expect(await project.run("generate")).toMatchObject({
    code: 1,
    err: "src/operator.ts is waiting for something that never happens; setup(manager) and what it imports must not wait for anything\n",
  });
  operator("export const setup = () => process.exit(3);\n");
  expect((await project.run("generate")).err).toMatch(
    /^src\/operator\.ts ended with exit code 3 before it could be described/,
  );
  rmSync(join(project.root, "src/operator.ts"));
  expect(await project.run("generate")).toMatchObject({ code: 2 });

  operator("export function setup(): void {\n  for (;;);\n}\n");
  const { signal } = new AbortController();
  const endless = describeProgram(project.root, "src/operator.ts", { signal, err: () => {}, timeoutMs: 2_000 });
  await expect(endless).rejects.toThrow("src/operator.ts did not finish within 2 s");
}, 300_000);

it("refuses definitions that the API server would refuse", async () => {
  using project = new ProjectFolder();
  await project.init();
  await project.run("create", "api", ...site);
  const api = project.files()["src/api/site.ts"] ?? "";
  const broken = api
    .replace("defineKind,", "cel, defineKind,")
    .replace("  columns:", '  rules: { spec: [cel("self.mesage != \'\'", "say something")] },\n  columns:');
  writeFileSync(join(project.root, "src/api/site.ts"), broken);
  const { code, err } = await project.run("generate");
  expect(code).toBe(1);
  expect(err).toContain("undefined field 'mesage'");
  expect(project.files()["config/crd/bases/shop.example.com_sites.yaml"]).not.toContain("mesage");
}, 300_000);

it("writes types of a definition, and a clientset of the project", async () => {
  using project = new ProjectFolder();
  await project.init();
  await project.run("create", "api", ...site);
  expect((await project.run("generate", "kinds", "-f", "config/crd/bases/shop.example.com_sites.yaml")).out).toBe(
    "  src/external/site.ts\n",
  );
  expect(project.files()["src/external/site.ts"]).toContain("export interface SiteSpec");
  expect((await project.run("generate", "kinds", "-f", "package.json")).err).toContain("apiVersion");
  expect((await project.run("generate", "kinds", "-f", "config/crd/kustomization.yaml")).code).toBe(1);
  expect(await project.run("generate", "kinds")).toMatchObject({ code: 2 });
  expect((await project.run("generate", "clientset")).out).toBe("  src/clientset.ts\n");
  expect(project.files()["src/clientset.ts"]).toContain('import { Site } from "./api/site.ts";');
  expect(await project.run("generate", "clientset")).toEqual({ code: 0, out: "", err: "" });
}, 300_000);

it("generates a definition for a kind that is only watched, unless it is external", async () => {
  using project = new ProjectFolder();
  await project.init();
  await project.run("create", "api", ...site);
  await project.run("create", "api", "--group", "shop", "--version", "v1", "--kind", "BackupPolicy", "--no-controller");
  const path = join(project.root, "src/controllers/site.ts");
  const before = project.files()["src/controllers/site.ts"] ?? "";
  const watching = (options: string): string =>
    before
      .replace(
        "import {",
        'import { BackupPolicy } from "../api/backup-policy.ts";\nimport { enqueueRequestsFromMapFunc,',
      )
      .replace(".for(Site)", `.for(Site).watches(BackupPolicy, enqueueRequestsFromMapFunc(() => [])${options})`);
  const own = [
    "config/crd/bases/shop.example.com_backuppolicies.yaml",
    "config/rbac/backup_policy_admin_role.yaml",
    "config/rbac/backup_policy_editor_role.yaml",
    "config/rbac/backup_policy_viewer_role.yaml",
    "config/samples/shop_v1_backup_policy.yaml",
    "docs/reference/backup-policy.md",
  ];
  const present = () =>
    Object.keys(project.files()).filter((file) => /backup-?_?polic/.test(file) && !/^src/.test(file));
  const role = () => project.files()["config/rbac/role.yaml"];

  writeFileSync(path, watching(", { isDefinedHere: false }"));
  expect(await project.run("generate")).toMatchObject({ code: 0, err: "" });
  expect(present()).toEqual([]);
  expect(role()).toContain("- backuppolicies\n");

  writeFileSync(path, watching(""));
  expect(await project.run("generate")).toMatchObject({ code: 0, err: "" });
  expect(present()).toEqual(own);
  expect(role()).toContain("- backuppolicies\n");
}, 120_000);
