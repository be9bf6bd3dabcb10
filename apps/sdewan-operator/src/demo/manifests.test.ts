import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { oneLine, UserError } from "../cli/user-error.ts";
import { readManifests } from "./manifests.ts";

const appFolder = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));

describe("readManifests", () => {
  it("reads the samples and the CNFs", async () => {
    const samples = await readManifests(appFolder("samples"));
    expect(samples).toHaveLength(30);
    expect(new Set(samples.map(({ kind }) => kind)).size).toBe(17);
    const cnfs = await readManifests(appFolder("cnfs"));
    expect(cnfs.filter(({ kind }) => kind === "Deployment")).toHaveLength(6);
  });

  it("says in one line which folder or file it cannot read", async () => {
    const folder = await mkdtemp(join(tmpdir(), "samples-"));
    try {
      const missing = await readManifests(join(folder, "none")).catch((error: unknown) => error);
      expect(missing).toBeInstanceOf(UserError);
      expect(oneLine(missing)).toMatch(/^cannot read the folder \S+none: ENOENT/);
      await writeFile(join(folder, "a.yaml"), "kind: [");
      await expect(readManifests(folder)).rejects.toThrow(/cannot read \S+a\.yaml/);
      await writeFile(join(folder, "a.yaml"), "just text");
      const wrong = await readManifests(folder).catch((error: unknown) => error);
      expect(oneLine(wrong)).toMatch(/a\.yaml: not a Kubernetes object$/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
