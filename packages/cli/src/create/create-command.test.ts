import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";

const site = ["--group", "shop", "--version", "v1", "--kind", "Site"];
const bin = (name: string): string => fileURLToPath(new URL(`../../../../node_modules/.bin/${name}`, import.meta.url));

/** What the workspace's sources are written in, beside the project's own. */
const lib = "es2024,esnext.disposable,esnext.iterator,esnext.collection";

function program(root: string, name: string, ...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(bin(name), words, { cwd: root, encoding: "utf8" });
  return status === 0 ? "passes" : `${stdout}\n${stderr}`;
}

it("makes a project whose types are right, whose tests pass, and that stays as it is", async () => {
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
  expect(files["docs/reference/site.md"]).toContain("What it says");
  expect(files["config/samples/shop_v1_site.yaml"]).toContain("message: hello");

  expect(await project.run("generate", "--check")).toEqual({ code: 0, out: "", err: "" });
  for (const words of [
    ["init", "--domain", "example.com", "--name", "shop", "--ci", "github", "--no-install", "--no-git"],
    ...steps,
  ])
    expect(await project.run(...words)).toEqual({ code: 0, out: "", err: "" });
  expect(project.files()).toEqual(files);

  expect(program(project.root, "tsc", "--customConditions", "@kubewright/source", "--lib", lib)).toBe("passes");
  const config = `import project from "./vitest.config.ts";
const conditions = ["@kubewright/source", "node", "import", "module", "default"];
export default { ...project, resolve: { conditions }, ssr: { resolve: { conditions } } };
`;
  writeFileSync(join(project.root, "workspace.config.ts"), config);
  expect(program(project.root, "vitest", "run", "--config", "workspace.config.ts", "--maxWorkers=1")).toBe("passes");
}, 600_000);

it("refuses names that cannot be, and says what they are like", async () => {
  using project = new ProjectFolder();
  expect(await project.run("create", "api", ...site)).toMatchObject({
    code: 2,
    err: "not a kubewright project: run kubewright init\n",
  });
  await project.init();
  const api = async (group: string, version: string, kind: string) =>
    (await project.run("create", "api", "--group", group, "--version", version, "--kind", kind)).err;
  expect(await api("shop", "v1", "site")).toBe('--kind "site": a kind is PascalCase, such as "Site"\n');
  expect(await api("shop", "1", "Site")).toMatch(/^--version "1": a version is v and a number.*"v1beta1"\n$/);
  expect(await api("Shop_x", "v1", "Site")).toMatch(/^--group "Shop_x": .* such as "shop"\n$/);
  expect(await project.run("create", "api", "--kind", "Site")).toMatchObject({
    code: 2,
    err: "create api: --group, --version: required\n",
  });
  expect(await project.run("create", "api", ...site, "--no-resource")).toMatchObject({ code: 2 });
  expect((await project.run("create", "webhook", ...site, "--defaulting")).err).toContain(
    "kubewright create api --group shop",
  );
  expect(await project.run("create", "webhook", ...site)).toMatchObject({ code: 2 });
});

it("refuses a kind that is there with another scope or group, naming both files", async () => {
  using project = new ProjectFolder();
  await project.init();
  expect((await project.run("create", "api", ...site)).code).toBe(0);
  const files = project.files();
  const again = ["--group", "shop", "--version", "v2", "--kind", "Site", "--cluster-scoped"];
  expect(await project.run("create", "api", ...again)).toMatchObject({
    code: 2,
    err: '--kind "Site": is Namespaced in src/api/site.ts, and would be Cluster in src/api/site-v2.ts\n',
  });
  expect((await project.run("create", "api", "--group", "mall", "--version", "v1", "--kind", "Site")).code).toBe(2);
  expect(project.files()).toEqual(files);
}, 300_000);

it("takes the scope from the kind that is there", async () => {
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
