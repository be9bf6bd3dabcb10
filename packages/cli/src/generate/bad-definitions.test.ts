import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";

let project: ProjectFolder;
beforeAll(async () => {
  project = new ProjectFolder();
  await project.init();
});
afterAll(() => project[Symbol.dispose]());

/** Output of generate for a program that defines these kinds. */
async function generated(...kinds: readonly string[]): Promise<{ code: number; err: string }> {
  const text = `import { cel, defineKind, type Manager } from "kubewright";
import { Type } from "typebox";

const shop = { group: "shop.example.com", version: "v1", scope: "Namespaced" } as const;
export function setup(manager: Manager): void {
${kinds.map((kind) => `  manager.defines(defineKind({ ...shop, ${kind} }));`).join("\n")}
}
`;
  writeFileSync(join(project.root, "src/operator.ts"), text);
  const { code, err } = await project.run("generate", "crd");
  return { code, err };
}

it("reports an invalid rule like kube-apiserver, with a caret", { timeout: 60_000 }, async () => {
  const { code, err } = await generated(
    'kind: "Site", spec: Type.Object({ min: Type.Integer() }), rules: { spec: [cel("self.mix > 1", "no")] }',
  );
  expect(code).toBe(1);
  expect(err).toContain("ERROR: <input>:1:5: undefined field 'mix'\n | self.mix > 1\n | ....^");
});

it("names the field with an ambiguous type", { timeout: 60_000 }, async () => {
  const spec = "Type.Object({ target: Type.Union([Type.Object({ a: Type.String() }), Type.String()]) })";
  expect(await generated(`kind: "Site", spec: ${spec}`)).toEqual({
    code: 1,
    err: expect.stringMatching(/^src\/operator\.ts:\d+:\d+: .*spec\.target: /),
  });
});

it("names two kinds with the same plural", { timeout: 60_000 }, async () => {
  expect(await generated('kind: "Site", plural: "sites"', 'kind: "Sight", plural: "sites"')).toEqual({
    code: 1,
    err: "sites.shop.example.com is the plural of both Site and Sight; give one of them a different plural\n",
  });
});

it("reports which document is not a definition, and how to convert an old one", async () => {
  const kinds = async (text: string): Promise<string> => {
    writeFileSync(join(project.root, "others.yaml"), text);
    const { code, err } = await project.run("generate", "kinds", "-f", "others.yaml");
    expect(code).toBe(1);
    return err.replaceAll(`${project.root}/`, "");
  };
  const object = (kind: string, apiVersion = "v1") => `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: a}\n`;
  expect(await kinds(object("Pod"))).toMatch(/^others\.yaml.*: kind: "Pod" is not CustomResourceDefinition/);
  expect(await kinds(`${object("Pod")}---\n- 1\n`)).toMatch(/^others\.yaml, document 2: /);
  const old = object("CustomResourceDefinition", "apiextensions.k8s.io/v1beta1");
  expect(await kinds(`${object("Pod")}---\n${old}`)).toMatch(
    /^others\.yaml, document 2: .*convert to apiextensions\.k8s\.io\/v1 first\n$/,
  );
});
