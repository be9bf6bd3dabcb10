import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unstructured } from "@kubewright/apimachinery";
import { main } from "@kubewright/cli";
import { Client } from "@kubewright/client";
import { ConfigMap } from "@kubewright/client/kinds";
import { startControlPlane } from "@kubewright/controller-manager";
import { beforeAll, describe, expect, it } from "vitest";
import { asked, demandGo } from "./runner/asked.ts";
import { buildCommand } from "./runner/go-suite.ts";

const needs = { meta: { needs: "`npm run test:suites`, and Go" } };
const crd = fileURLToPath(new URL("go/site-operator/crd.yaml", import.meta.url));

let program: string;
if (asked)
  beforeAll(async () => {
    demandGo();
    const built = { module: "site-operator", package: "kubewright.dev/tests/suites/site-operator" };
    program = join(await buildCommand(built), "site-operator");
  }, 1_200_000); // it compiles controller-runtime

/** Runs the command `kubewright` in an empty folder. */
async function kubewright(
  env: NodeJS.ProcessEnv,
  ...words: readonly string[]
): Promise<{ code: number; text: string }> {
  const cwd = mkdtempSync(join(tmpdir(), "kubewright-suite-"));
  let text = "";
  const add = (more: string): void => {
    text += more;
  };
  try {
    return { code: await main(words, { out: add, err: add, env, cwd }), text };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

describe.runIf(asked)("kubewright simulate with a program that uses controller-runtime", needs, () => {
  const simulate = (schedules: number, ...args: readonly string[]) => {
    const flags = ["--crds", crd, "--seed", "7", "--schedules", String(schedules)];
    return kubewright(process.env, "simulate", ...flags, "--", program, ...args);
  };

  it("finds nothing in a correct program", async () => {
    const { code, text } = await simulate(20);
    expect({ code, text }).toMatchObject({ code: 0, text: expect.stringMatching(/^20 schedules played/m) });
  });

  it.each([
    ["generate-name", /^✗ history: Secret \w+\/\w+-key-\* exists, but should not/m],
    ["owner-reference", /^✗ (history: ConfigMap .* exists, but should not|deletion: ConfigMap .* no owner reference)/m],
    ["status-from-memory", /^✗ (history|idempotent): .*status/m],
  ])("finds the bug %s", async (bug, problem) => {
    const { code, text } = await simulate(20, `--bug=${bug}`);
    expect({ code, text }).toMatchObject({ code: 1, text: expect.stringMatching(problem) });
    expect(text).toMatch(/^repeat it: npx kubewright simulate --seed 7 --from \d+ --schedules 1 .* -- \S+ --bug=/m);
  });
});

describe.runIf(asked)("kubewright plan with a program that uses controller-runtime", needs, () => {
  it("shows what the program would do, and changes nothing", async () => {
    const folder = mkdtempSync(join(tmpdir(), "kubewright-suite-"));
    const env = { ...process.env, KUBECONFIG: join(folder, "kubeconfig") };
    await using plane = await startControlPlane({ kubeconfigOut: env.KUBECONFIG });
    const [north, south] = ["north", "south"].map((name) => {
      const metadata = { namespace: "default", name };
      const site = { apiVersion: "shop.example.com/v1", kind: "Site", metadata, spec: { title: name } };
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(site));
      return join(folder, `${name}.json`);
    });
    for (const file of [crd, north ?? ""])
      expect(await kubewright(env, "apply", "-f", file)).toMatchObject({ code: 0 });
    const client = new Client({ connection: plane.connection() });
    const site = unstructured({ apiVersion: "shop.example.com/v1", kind: "Site" });
    const before = await client.list(site);

    const { code, text } = await kubewright(env, "plan", "--json", "-f", south ?? "", "--", program);

    const caused = (name: string) => ({ action: "create", namespace: "default", cause: `Site default/${name}` });
    const { changes } = JSON.parse(text);
    expect([code, changes]).toEqual([1, expect.anything()]);
    for (const name of ["north", "south"])
      expect(changes).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ ...caused(name), kind: "ConfigMap", name: `${name}-page` }),
          expect.objectContaining({ ...caused(name), kind: "Secret", name: `${name}-key` }),
        ]),
      );
    expect(changes).toContainEqual(expect.objectContaining({ action: "change", kind: "Site", name: "north" }));
    expect(text).not.toContain("key of north");
    const configMaps = await client.list(ConfigMap, { namespace: "default" });
    expect(configMaps.map(({ metadata }) => metadata.name)).toEqual(["kube-root-ca.crt"]);
    expect(await client.list(site)).toEqual(before);
    await client.close();
    rmSync(folder, { recursive: true });
  });
});
