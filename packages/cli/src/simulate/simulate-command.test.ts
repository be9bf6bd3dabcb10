import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { main } from "../main.ts";
import { recordedIo } from "../testing/recorded-io.ts";

const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "pages.shop.example.com" },
  spec: {
    group: "shop.example.com",
    scope: "Namespaced",
    names: { kind: "Page", plural: "pages", singular: "page", listKind: "PageList" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-simulate-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function simulate(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const io = { ...recordedIo({ PATH: process.env.PATH }), cwd: folder };
  const code = await main(["simulate", ...words], io);
  return { code, ...io.written };
}

const writeCrd = (): void => {
  mkdirSync(join(folder, "config/crd"), { recursive: true });
  writeFileSync(join(folder, "config/crd/kustomization.yaml"), "resources: [pages.json]\n");
  writeFileSync(join(folder, "config/crd/pages.json"), JSON.stringify(crd));
};

it.each([
  [["--schedules", "many", "--", "true"], '--schedules "many" is not a number from 0 to 999999999'],
  [["--without", "peace=x", "--", "true"], '--without "peace=x": the check must be quiet, idempotent'],
  [["--without", "healing", "--", "true"], "--without healing: add the reason"],
  [
    ["--remembers", "Secret", "--remembers", "Backup:status.id", "--", "true"],
    '--remembers "Secret": the values of --remembers must be either all kinds',
  ],
  [["--patience", "soon", "--", "true"], '--patience "soon" is not a duration'],
  [["--kinds", "Site", "--", "true"], "--kinds Site: the CRDs define Page"],
  [[], "not in a kubewright project"],
])("refuses %j", async (words, message) => {
  writeCrd();
  const { code, err } = await simulate(...words);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) });
});

it("asks for the CRDs if they are not in the usual folder", async () => {
  expect(await simulate("--", "true")).toMatchObject({
    code: 2,
    err: expect.stringContaining("pass the file or folder"),
  });
});

it("reports a program that does not start, with what it printed", async () => {
  writeCrd();
  const { code, out, err } = await simulate(
    "--seed",
    "5",
    "--schedules",
    "1",
    "--",
    "sh",
    "-c",
    "echo no cluster; exit 7",
  );
  expect({ code, out }).toEqual({ code: 1, out: "seed 5: 1 schedule of Page, about 10 s each\n" });
  expect(err).toMatch(/^the program ended before it watched any resource; .* It printed:\nno cluster\n$/);
  expect(existsSync(join(folder, ".kubewright"))).toBe(false);
});
