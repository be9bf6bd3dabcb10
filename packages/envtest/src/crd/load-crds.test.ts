import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { loadCrds } from "./load-crds.ts";

const folder = mkdtempSync(join(tmpdir(), "crds-"));
afterAll(() => rmSync(folder, { recursive: true }));

const crd = (plural: string, kind = "Site") => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.shop.example.com` },
  spec: { group: "shop.example.com", names: { plural, kind }, versions: [{ name: "v1", served: true }] },
});
const names = (crds: { metadata: { name: string } }[]): string[] => crds.map(({ metadata }) => metadata.name);

it("accepts definitions, kinds, files and folders", () => {
  writeFileSync(
    join(folder, "a.yaml"),
    `${JSON.stringify(crd("a"))}\n---\nkind: ConfigMap\n---\n${JSON.stringify(crd("b"))}\n`,
  );
  writeFileSync(join(folder, "c.json"), JSON.stringify(crd("c")));
  writeFileSync(join(folder, "notes.txt"), "not read");

  expect(names(loadCrds([folder, crd("d"), { crd: crd("e") }, join(folder, "c.json")]))).toEqual(
    ["a", "b", "c", "d", "e"].map((plural) => `${plural}.shop.example.com`),
  );
});

it("keeps the last definition of a name", () => {
  expect(loadCrds([crd("a"), crd("a", "Shop")])).toEqual([crd("a", "Shop")]);
});

it("ignores missing paths unless errorIfPathMissing is set", () => {
  expect(loadCrds(["/no/such"])).toEqual([]);
  expect(() => loadCrds(["/no/such"], { errorIfPathMissing: true })).toThrow(
    "no CustomResourceDefinitions at /no/such",
  );
});

it("reports invalid sources", () => {
  const broken = join(folder, "broken.yml");
  writeFileSync(broken, "a: [");

  expect(() => loadCrds([broken])).toThrow(`${broken} is not YAML: `);
  expect(() => loadCrds([{ kind: "Pod" }])).toThrow('not a CustomResourceDefinition: {"kind":"Pod"}');
});
