import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startControlPlane } from "@kubewright/controller-manager";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { apiKinds } from "../kinds/api-kinds.ts";
import { generatedFolders, manifests } from "./manifests.ts";

const operator = fileURLToPath(new URL("../..", import.meta.url));
const config = (name: string): string => join(operator, "config", name);
const kubectl = "kubectl";
const hasKubectl = spawnSync(kubectl, ["version", "--client"]).status === 0;

describe("the manifests", () => {
  it.each(manifests(operator))("are as `npm run manifests` writes them: $path", ({ path, text }) => {
    expect(readFileSync(join(operator, path), "utf8")).toBe(text);
  });

  it.each(generatedFolders)("are alone in %s", (folder) => {
    const generated = manifests(operator).map(({ path }) => path);
    const there = readdirSync(join(operator, folder)).map((name) => `${folder}/${name}`);
    expect(there.filter((path) => !generated.includes(path))).toEqual([]);
  });

  it("let the operator have each of its kinds, and no other thing of their group", () => {
    const plurals = apiKinds.map(({ plural }) => plural).sort();
    const { rules } = parse(readFileSync(config("rbac/role.yaml"), "utf8")) as {
      rules: { apiGroups: string[]; resources: string[] }[];
    };
    const ours = rules.filter(({ apiGroups }) => apiGroups.includes("batch.sdewan.akraino.org"));
    expect(ours.map(({ resources }) => resources)).toEqual([plurals, plurals.map((plural) => `${plural}/status`)]);
  });

  it.skipIf(!hasKubectl)("are taken by a cluster, twice", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sdewan-operator-config-"));
    const kubeconfigOut = join(folder, "kubeconfig");
    await using _plane = await startControlPlane({ kubeconfigOut });
    const apply = async (): Promise<string> => {
      const args = ["--kubeconfig", kubeconfigOut, "apply", "-k", config("default")];
      const child = spawn(kubectl, args, { env: { ...process.env, HOME: folder } });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => {
          output += chunk.toString("utf8");
        });
      await new Promise((resolve) => child.on("close", resolve));
      return output;
    };
    try {
      const created = (await apply()).trim().split("\n");
      expect(created.filter((line) => !line.endsWith(" created"))).toEqual([]);
      expect(created).toContain("deployment.apps/sdewan-controller-manager created");
      expect(created.filter((line) => line.startsWith("customresourcedefinition."))).toHaveLength(apiKinds.length);
      const again = (await apply()).trim().split("\n");
      expect(again.filter((line) => !line.endsWith(" unchanged"))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
