import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { apiKinds } from "../generate/api-kinds.ts";
import { ProjectFolder } from "../testing/project-folder.ts";

const site = ["--group", "shop", "--version", "v1", "--kind", "Site"];
const bin = (name: string): string => fileURLToPath(new URL(`../../../../node_modules/.bin/${name}`, import.meta.url));

/** Compiler options that the workspace's sources need in addition to the project's. */
const lib = "es2024,esnext.disposable,esnext.iterator,esnext.collection";

function program(root: string, name: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(bin(name), words, { cwd: root, encoding: "utf8" });
  return status === 0 ? "passes" : `${stdout}\n${stderr}`;
}

it("creates a project that compiles, passes its tests, and is up to date", async () => {
  using project = new ProjectFolder();
  const steps = [
    ["create", "api", ...site, "--short-name", "st"],
    ["create", "api", "--group", "shop", "--version", "v1", "--kind", "BigCluster", "--cluster-scoped"],
    ["create", "api", "--group", "shop", "--version", "v1beta1", "--kind", "Site", "--short-name", "st"],
    ["create", "webhook", ...site, "--defaulting", "--validation"],
    ["create", "webhook", ...site, "--conversion", "--hub", "v1", "--spoke", "v1beta1"],
  ];
  expect(await project.init("--ci", "github")).toMatchObject({ code: 0, err: "" });
  for (const words of steps) expect([words, await project.run(...words)]).toMatchObject([words, { code: 0, err: "" }]);

  const files = project.files();
  expect(Object.keys(files)).toMatchSnapshot();
  expect(files["src/api/index.ts"]).toContain('export * from "./site-v1beta1.ts";');
  expect(files["src/controllers/index.ts"]).toContain("[bigCluster, site]");
  for (const version of ["v1", "v1beta1"])
    expect(files["config/crd/bases/shop.example.com_sites.yaml"]).toContain(`name: ${version}
`);
  expect(files["config/rbac/role.yaml"]).toContain("sites/status");
  expect(files["config/webhook/manifests.yaml"]).toContain("/validate-shop-example-com-v1-site");
  expect(files["docs/reference/site.md"]).toContain("Message of the object");
  expect(files["config/samples/shop_v1_site.yaml"]).toContain("message: hello");

  expect(await project.run("generate", "--check")).toEqual({ code: 0, out: "", err: "" });
  for (const words of [
    ["init", "--domain", "example.com", "--name", "shop", "--ci", "github", "--no-install", "--no-git"],
    ...steps,
  ])
    expect(await project.run(...words)).toEqual({ code: 0, out: "", err: "" });
  expect(project.files()).toEqual(files);

  expect(await project.run("generate", "clientset")).toMatchObject({ code: 0, err: "" });
  expect(program(project.root, "tsc", "--customConditions", "@kubewright/source", "--lib", lib)).toBe("passes");
  expect(program(project.root, "biome", "check", "--error-on-warnings")).toBe("passes");
  const sources = Object.entries(files).filter(([path]) => /^(src|test)\/.*\.ts$/.test(path));
  for (const [path, text] of sources)
    expect([path, ...text.split("\n").filter((line) => line.length > 100)]).toEqual([path]);
  const config = `import project from "./vitest.config.ts";
const conditions = ["@kubewright/source", "node", "import", "module", "default"];
export default { ...project, resolve: { conditions }, ssr: { resolve: { conditions } } };
`;
  writeFileSync(join(project.root, "workspace.config.ts"), config);
  expect(program(project.root, "vitest", "run", "--config", "workspace.config.ts", "--maxWorkers=1")).toBe("passes");
}, 600_000);

it("refuses invalid names, and prints the rule", async () => {
  using project = new ProjectFolder();
  expect(await project.run("create", "api", ...site)).toMatchObject({
    code: 2,
    err: "not in a kubewright project; run kubewright init\n",
  });
  await project.init();
  const api = async (group: string, version: string, kind: string) =>
    (await project.run("create", "api", "--group", group, "--version", version, "--kind", kind)).err;
  expect(await api("shop", "v1", "site")).toBe('--kind "site": must be in PascalCase, such as "Site"\n');
  expect(await api("shop", "1", "Site")).toMatch(/^--version "1": must be "v" and a number.*"v1beta1"\n$/);
  expect(await api("Shop_x", "v1", "Site")).toMatch(/^--group "Shop_x": .* such as "shop"\n$/);
  expect(await project.run("create", "api", "--kind", "Site")).toMatchObject({
    code: 2,
    err: "create api: missing --group, --version\n",
  });
  expect(await project.run("create", "api", ...site, "--no-resource")).toMatchObject({ code: 2 });
  expect((await project.run("create", "webhook", ...site, "--defaulting")).err).toContain(
    "kubewright create api --group shop",
  );
  expect(await project.run("create", "webhook", ...site)).toMatchObject({ code: 2 });
});

it("refuses an existing kind with another scope or group, and names both files", async () => {
  using project = new ProjectFolder();
  await project.init();
  expect((await project.run("create", "api", ...site)).code).toBe(0);
  const files = project.files();
  const again = ["--group", "shop", "--version", "v2", "--kind", "Site", "--cluster-scoped"];
  expect(await project.run("create", "api", ...again)).toMatchObject({
    code: 2,
    err: '--kind "Site": src/api/site.ts defines the scope Namespaced, so src/api/site-v2.ts cannot define Cluster\n',
  });
  expect((await project.run("create", "api", "--group", "mall", "--version", "v1", "--kind", "Site")).code).toBe(2);
  expect(project.files()).toEqual(files);
}, 300_000);

it("takes the scope from the existing kind", async () => {
  using project = new ProjectFolder();
  await project.init();
  const of = (version: string) => ["--group", "shop", "--version", version, "--kind", "Tenant"];
  const steps = [
    ["create", "api", ...of("v1"), "--cluster-scoped"],
    ["create", "webhook", ...of("v1"), "--validation"],
    ["create", "api", ...of("v1beta1")],
  ];
  for (const words of steps) expect([words, await project.run(...words)]).toMatchObject([words, { code: 0, err: "" }]);
  expect(project.files()["src/api/tenant-v1beta1.ts"]).toContain('scope: "Cluster"');
  expect(project.files()["src/webhooks/tenant.test.ts"]).not.toContain("namespace:");
}, 300_000);

it("copies a new version from the newest one", async () => {
  using project = new ProjectFolder();
  await project.init();
  const of = (version: string) => ["--group", "shop", "--version", version, "--kind", "Tenant"];
  const create = async (...words: string[]) =>
    expect([words, await project.run("create", "api", ...words)]).toMatchObject([words, { code: 0, err: "" }]);
  await create(...of("v1alpha1"), "--cluster-scoped", "--short-name", "tn");
  await create(...of("v1beta1"));
  const beta = join(project.root, "src/api/tenant-v1beta1.ts");
  const text = readFileSync(beta, "utf8");
  expect(text).toContain('shortNames: ["tn"]');
  const spec = `spec: Type.Object({
    seats: Type.Integer({ minimum: 1, maximum: 9 }),
    plan: Type.Optional(Type.Union([Type.Literal("free"), Type.Literal("paid")], { default: "free" })),
  }),
  status: Type.Object({ seats: Type.Optional(Type.Integer()), selector: Type.Optional(Type.String()) }),
  categories: ["all", "shop"],
  deprecated: "use v1",
  rules: { spec: [{ rule: "self.seats != 7", message: "not seven" }] },
  scale: { specReplicasPath: ".spec.seats", statusReplicasPath: ".status.seats", labelSelectorPath: ".status.selector" },
  columns: [{ name: "Seats", type: "integer", jsonPath: ".spec.seats", priority: 1 }],
  selectableFields: [".spec.plan"],
});`;
  writeFileSync(beta, text.replace(/spec: Type[\s\S]*?\n}\);/, spec).replace(/columns: \[[\s\S]*?\],\n/, ""));
  await create(...of("v1"));
  const path = join(project.root, "src/api/tenant-v1.ts");
  expect(readFileSync(path, "utf8")).not.toContain("generate kinds");
  const versionsOf = async () => {
    const found = await apiKinds(project.root, { signal: AbortSignal.timeout(60_000), err: () => {} });
    return Object.fromEntries(found.map(({ version, exportName, crd }) => [version, { exportName, crd }]));
  };
  const { v1, v1beta1 } = await versionsOf();
  expect([v1?.exportName, v1beta1?.exportName]).toEqual(["TenantV1", "TenantV1Beta1"]);
  const { deprecated: _, deprecationWarning: _warning, ...wanted } = versionIn(v1beta1?.crd);
  expect(versionIn(v1?.crd)).toEqual({ ...wanted, name: "v1" });
  expect(v1?.crd).toMatchObject({
    spec: { scope: "Cluster", names: { shortNames: ["tn"], categories: ["all", "shop"] } },
  });
  expect(wanted).toHaveProperty("subresources.scale");

  // A module that exports more than its kind is not copied, but generated from the definition.
  const first = join(project.root, "src/api/tenant-v1.ts");
  writeFileSync(first, `${readFileSync(first, "utf8")}\nexport const maxSeats = 9;\n`);
  await create(...of("v2"), "--short-name", "tt");
  const { v2 } = await versionsOf();
  expect(versionIn(v2?.crd)).toEqual({ ...wanted, name: "v2" });
  expect(v2).toMatchObject({ exportName: "TenantV2", crd: { spec: { names: { shortNames: ["tt"] } } } });
  await create(...of("v3alpha1"), "--short-name", "t3");
  expect((await versionsOf()).v3alpha1?.crd).toMatchObject({ spec: { names: { shortNames: ["t3"] } } });
  expect(program(project.root, "tsc", "--customConditions", "@kubewright/source", "--lib", lib)).toBe("passes");
}, 300_000);

function versionIn(crd: unknown): Record<string, unknown> {
  const { spec } = crd as { spec: { versions: [Record<string, unknown>] } };
  return spec.versions[0];
}
