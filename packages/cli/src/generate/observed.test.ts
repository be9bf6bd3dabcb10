import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";

const note = "is declared, but no recorded test uses it; remove .needs, or add a test and record again\n";

it("grants recorded permissions, and lists declared ones that no test used", async () => {
  using project = new ProjectFolder();
  await project.init();
  await project.run("create", "api", "--group", "shop", "--version", "v1", "--kind", "Site");
  const write = (path: string, text: string): void => writeFileSync(join(project.root, path), text);
  const controller = project.files()["src/controllers/site.ts"] ?? "";
  write(
    "src/controllers/site.ts",
    `import { Secret } from "kubewright/kinds";\n${controller.replace(".complete(", '.needs(Secret, ["get", "list"]).complete(')}`,
  );
  await project.run("generate");
  expect(project.files()["config/rbac/role.yaml"]).toContain("secrets");

  const permissions = [
    { group: "", resource: "secrets", verbs: ["get"] },
    { group: "", resource: "configmaps", verbs: ["delete"] },
  ];
  write("config/rbac/observed.json", JSON.stringify({ permissions }));
  const generated = await project.run("generate", "rbac");
  expect(generated).toEqual({ code: 0, out: "  config/rbac/role.yaml\n", err: `list secrets ${note}` });
  expect(project.files()["config/rbac/role.yaml"]).toContain("configmaps");
  expect(await project.run("generate", "--check")).toMatchObject({ code: 0, err: `list secrets ${note}` });
  expect(await project.run("check")).toMatchObject({ code: 0, err: `list secrets ${note}` });

  write("config/rbac/observed.json", "{");
  expect(await project.run("generate", "rbac")).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^config\/rbac\/observed\.json: .*; delete the file and record again\n$/),
  });
}, 300_000);
