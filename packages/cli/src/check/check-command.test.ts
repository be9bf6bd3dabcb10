import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";

it("reports RBAC drift and webhooks that block themselves", async () => {
  using project = new ProjectFolder();
  await project.init();
  const write = (path: string, text: string): void => writeFileSync(join(project.root, path), text);
  expect(await project.run("check")).toEqual({
    code: 1,
    out: "",
    err: "config/rbac: does not exist; run kubewright generate\n",
  });
  await project.run("create", "api", "--group", "shop", "--version", "v1", "--kind", "Site");
  expect(await project.run("check")).toEqual({ code: 0, out: "", err: "" });

  const role = project.files()["config/rbac/role.yaml"] ?? "";
  write("config/rbac/role.yaml", role.replace("      - sites/status\n", "      - sites/scale\n"));
  expect(await project.run("check")).toEqual({
    code: 1,
    out: "",
    err:
      "config/rbac: get, patch, update sites/status.shop.example.com: is missing; run kubewright generate\n" +
      "config/rbac: get, patch, update sites/scale.shop.example.com: is not used by the program; remove it, or declare it with needs if the program needs it\n",
  });

  mkdirSync(join(project.root, "src/webhooks"), { recursive: true });
  write(
    "src/webhooks/pods.ts",
    `import type { Manager } from "kubewright";
import { Pod, Secret } from "kubewright/kinds";
import { admissionHandler, allowed } from "kubewright/webhooks";

export function add(manager: Manager): void {
  manager.needs(Secret, ["get"]);
  const rules = [{ kind: Pod, operations: ["CREATE"] as const }];
  manager.webhooks.add(admissionHandler("/pods", { rules, namespaceSelector: {} }, () => allowed()));
}
`,
  );
  write("src/webhooks/index.ts", 'import { add } from "./pods.ts";\n\nexport const webhooks = [add];\n');
  write("config/rbac/observed.json", '{ "permissions": [] }\n');
  await project.run("generate");
  const { code, out, err } = await project.run("check");
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain("get secrets is declared, but no recorded test uses it; ");
  expect(err).toMatch(/^pods\.pod\.v1\.kubewright\.dev: is called for pods in shop-system, its own namespace, /);
  expect(JSON.parse((await project.run("check", "--json")).out)).toMatchObject({
    items: [{ check: "webhook", name: "pods.pod.v1.kubewright.dev" }, { check: "webhook" }],
    unused: ["get secrets"],
  });
  rmSync(join(project.root, "kubewright.json"));
  expect(await project.run("check")).toMatchObject({ code: 2 });
}, 300_000);
