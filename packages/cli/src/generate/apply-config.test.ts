import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Environment } from "@kubewright/envtest";
import { expect, it } from "vitest";
import { ProjectFolder } from "../testing/project-folder.ts";

const site = ["--group", "shop", "--version", "v1", "--kind", "Site"];
const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;

it("generates folders that kubectl applies, samples with -f and -k", { timeout: 300_000 }, async ({ skip }) => {
  if (!hasKubectl) skip("needs kubectl on the PATH");
  using project = new ProjectFolder();
  await project.init();
  for (const words of [
    ["api", ...site],
    ["webhook", ...site, "--defaulting", "--validation"],
  ])
    expect(await project.run("create", ...words)).toMatchObject({ code: 0 });
  await using env = await Environment.start();
  const home = await mkdtemp(join(tmpdir(), "kubewright-home-"));
  const kubeconfig = join(home, "kubeconfig");
  await writeFile(kubeconfig, env.kubeconfig(), { mode: 0o600 });
  const kubectl = async (...words: string[]): Promise<string> => {
    const options = { env: { ...process.env, HOME: home }, cwd: project.root };
    return (await promisify(execFile)("kubectl", ["--kubeconfig", kubeconfig, ...words], options)).stdout;
  };
  try {
    expect(await kubectl("apply", "-k", "config/default")).toContain("deployment.apps/shop-controller-manager created");
    const again = await kubectl("apply", "-k", "config/default");
    expect(
      again
        .trim()
        .split("\n")
        .filter((line) => !line.endsWith(" unchanged")),
    ).toEqual([]);
    expect(again).not.toContain("monitoring.coreos.com");
    await kubectl("apply", "-k", "config/network-policy");
    await kubectl("wait", "--for=condition=Established", "crd/sites.shop.example.com");
    const deployed = JSON.parse(await kubectl("get", "deployment", "-n", "shop-system", "-o", "json"));
    expect(deployed.items[0].spec.template.spec.containers[0]).toMatchObject({
      args: ["--leader-elect"],
      image: "controller:latest",
    });
    const secret = JSON.parse(
      await kubectl("get", "secret", "-n", "shop-system", "shop-webhook-server-cert", "-o", "json"),
    );
    expect(secret.data).toBeUndefined();
    // Nothing serves them here.
    await kubectl("delete", "-f", "config/webhook/manifests.yaml");
    expect(await kubectl("apply", "-f", "config/samples")).toContain("site.shop.example.com/example created");
    expect(await kubectl("apply", "-k", "config/samples")).toContain("site.shop.example.com/example unchanged");
  } finally {
    await rm(home, { recursive: true });
  }
});
