import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";

const vitest = fileURLToPath(new URL("../../../../node_modules/.bin/vitest", import.meta.url));
const config = `import project from "./vitest.config.ts";
const conditions = ["@kubewright/source", "node", "import", "module", "default"];
export default { ...project, resolve: { conditions }, ssr: { resolve: { conditions } } };
`;

/** Runs the tests of a project's controllers. */
function test({ root }: ProjectFolder, env: Record<string, string> = {}): string {
  const words = ["run", "src/controllers", "--config", "workspace.config.ts", "--maxWorkers=1"];
  const { KUBEWRIGHT_RBAC: _, ...others } = process.env;
  const { status, stdout, stderr } = spawnSync(vitest, words, {
    cwd: root,
    encoding: "utf8",
    env: { ...others, ...env },
  });
  return status === 0 ? "passes" : `${stdout}\n${stderr}`;
}

it("creates tests that run with the generated role and record missing permissions", async () => {
  using project = new ProjectFolder();
  await project.init();
  await project.run("create", "api", "--group", "shop", "--version", "v1", "--kind", "Site");
  const write = (path: string, text: string): void => writeFileSync(join(project.root, path), text);
  write("workspace.config.ts", config);
  const controller = project.files()["src/controllers/site.ts"] ?? "";
  const metadata = '{ name: site.metadata.name + "-page", namespace: "default" }';
  const apply = `  await client.apply(ConfigMap, { metadata: ${metadata} });\n`;
  write(
    "src/controllers/site.ts",
    `import { ConfigMap } from "kubewright/kinds";\n${controller.replace("  await client.status", `${apply}  await client.status`)}`,
  );
  expect(test(project)).toContain('forbidden: patch configmaps; add .needs(ConfigMap, ["patch"]) or record');

  expect(test(project, { KUBEWRIGHT_RBAC: "record" })).toBe("passes");
  const recorded = project.files()["config/rbac/observed.json"] ?? "";
  expect(JSON.parse(recorded).permissions).toEqual([{ group: "", resource: "configmaps", verbs: ["create", "patch"] }]);
  expect(test(project)).toBe("passes");
  expect((await project.run("generate")).out).toBe("  config/rbac/role.yaml\n");
  expect(project.files()["config/rbac/role.yaml"]).toContain("configmaps");
}, 600_000);
