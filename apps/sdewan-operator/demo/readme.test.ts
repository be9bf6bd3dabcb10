import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { systemClock } from "@kubewright/clock";
import { expect, it } from "vitest";
import { Demo, install, readManifests, unsettled } from "./index.ts";

/** Applies the objects in a folder to simulated CNFs. Resolves to what the CNF of a purpose holds once all are in sync. */
async function configOf(purpose: string, cnfs: string, samples: string): Promise<unknown> {
  await using demo = await Demo.start({ cnfs: await readManifests(cnfs) });
  const refused = await install(demo.client, await readManifests(samples));
  if (refused.length > 0) throw new Error("the API server refused some of them", { cause: refused });
  for (;;) {
    const snapshot = await demo.snapshot();
    if ((await unsettled(demo.reader, snapshot)).length === 0)
      return snapshot.cnfs.find((cnf) => cnf.purpose === purpose)?.config;
    await systemClock.sleep(100);
  }
}

const folder = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));

it("does what the README shows", async () => {
  const config = await configOf("cnf1", folder("cnfs"), folder("samples"));
  expect(config).toMatchObject({
    "mwan3/v1/rules": { rules: [{ name: "https_balanced", policy: "balance1" }] },
    "application/v1/applications": { applications: [{ name: "sdewanapplication_sample" }] },
  });
});

it("shows in the README what it does", async () => {
  const plain = (text: string): string =>
    text.replaceAll("export ", "").replace('"sdewan-operator/demo"', '"./index.ts"').replaceAll(/\s+/g, " ");
  const [, fence = ""] = /```ts\n(.*?)```/s.exec(await readFile(folder("README.md"), "utf8")) ?? [];
  const source = plain(await readFile(new URL(import.meta.url), "utf8"));
  for (const line of fence.split("\n")) expect(source).toContain(plain(line).trim());
});
