import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { oneLine, UserError } from "../src/cli/user-error.ts";
import { inApp, readManifests } from "./manifests.ts";

describe("readManifests", () => {
  it("reads the samples and the CNFs", async () => {
    const samples = await readManifests(inApp("samples"));
    expect(samples.length).toBeGreaterThanOrEqual(30);
    expect(new Set(samples.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(17);
    const cnfs = await readManifests(inApp("cnfs"));
    expect(cnfs.filter(({ kind }) => kind === "Deployment")).toHaveLength(6);
  });

  it("parses manifests like kubectl", async () => {
    const folder = await mkdtemp(join(tmpdir(), "samples-"));
    const text = `# only a comment
---
---
apiVersion: v1
kind: List
items:
  - &base {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
  - <<: *base
    metadata: {name: b}
--- # another
apiVersion: v1
kind: ConfigMap
metadata: {name: c, creationTimestamp: 2026-01-01T00:00:00Z}
data: {word: yes, quoted: "yes", octal: 010, time: 12:30, day: 2026-01-01, __proto__: x}
...
`;
    try {
      await writeFile(join(folder, "a.yaml"), text);
      await writeFile(join(folder, "b.json"), '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d"}}');
      for (const name of ["kustomization.yaml", "observed.json"]) await writeFile(join(folder, name), "{}");
      const objects = await readManifests(folder);
      expect(objects.map(({ metadata }) => metadata.name)).toEqual(["a", "b", "c", "d"]);
      const { data, metadata } = objects[2] as unknown as { data: object; metadata: object };
      expect(Object.entries(data)).toEqual([
        ["word", true],
        ["quoted", "yes"],
        ["octal", 8],
        ["time", "12:30"],
        ["day", "2026-01-01"],
        ["__proto__", "x"],
      ]);
      expect(metadata).toEqual({ name: "c", creationTimestamp: "2026-01-01T00:00:00Z" });
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("names the folder or file that it cannot read, in one line", async () => {
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
