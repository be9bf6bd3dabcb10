import { readFileSync } from "node:fs";
import type { DefinedKind } from "@kubewright/apimachinery";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { kindFiles } from "./src/kinds/kind-files.ts";
import type { Definition } from "./src/source/definition.ts";
import { compile } from "./src/testing/compile.ts";
import { runGenerated } from "./src/testing/run-generated.ts";
import { cachedAt, isPinned, pinned } from "./third-party/pinned.ts";

const needs = { meta: { needs: "the definitions: npm run third-party -w @kubewright/codegen fetches them" } };

/** Maximum number of definitions per file. */
const maxPerFile = 3;

const present = pinned.filter(isPinned);
const definitions = present.flatMap((file) =>
  parseAllDocuments(readFileSync(cachedAt(file), "utf8"))
    .map((document): Definition => document.toJS())
    .filter((manifest) => manifest?.kind === "CustomResourceDefinition")
    .slice(0, maxPerFile),
);
const isMissing = present.length < pinned.length;
const hint = isMissing ? " (to run it: npm run third-party -w @kubewright/codegen)" : "";

describe(`definitions of other projects${hint}`, () => {
  it.skipIf(isMissing)("are present", needs, () => {
    expect(new Set(pinned.map(({ module }) => module)).size).toBeGreaterThanOrEqual(8);
    expect(definitions.length).toBeGreaterThanOrEqual(18);
  });

  it.skipIf(isMissing)("become types that compile, in every style", { ...needs, timeout: 300_000 }, () => {
    const files: Record<string, string> = {};
    for (const [i, definition] of definitions.entries())
      for (const style of ["interface", "typebox"] as const)
        for (const { path, text } of kindFiles(definition, { style, versions: [storedVersion(definition)] }))
          files[`${i}-${style}-${path}`] = text;
    expect(compile(files)).toBe("");
  });

  it.skipIf(isMissing).each(definitions.map((definition) => [definition.metadata.name, definition] as const))(
    "%s is reproduced by its defineKind",
    needs,
    (_name, definition) => {
      for (const version of definition.spec.versions) {
        const [file] = kindFiles(definition, { style: "typebox", versions: [version.name] });
        const [kind] = Object.values(runGenerated(file?.text ?? "")) as DefinedKind[];
        const { served = true, ...rest } = version;
        const { storage: _, ...given } = kind?.crd.spec.versions[0] ?? { storage: true };
        const { storage: __, ...wanted } = { served, ...rest };
        expect(given).toEqual(wanted);
      }
    },
  );
});

const storedVersion = ({ spec }: Definition): string => spec.versions.find(({ storage }) => storage)?.name ?? "";
