import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@kubewright/clock/testing";
import { afterAll, describe, expect, it, vi } from "vitest";
import { PlanInputError, readPlanFiles } from "./plan-files.ts";

const folder = mkdtempSync(join(tmpdir(), "sdewan-operator-plan-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
/** Writes a file, and returns its path. */
function file(text: string, name = `${++files}.yaml`): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const rule = (name: string, spec = "target: DROP", more = ""): string =>
  `apiVersion: batch.sdewan.akraino.org/v1alpha1\nkind: FirewallRule\nmetadata: { name: ${name}${more} }\nspec: { ${spec} }\n`;

/** Returns the message of an error for the user. */
const messageIn = (error: unknown): string => {
  if (!(error instanceof PlanInputError)) throw error;
  return error.message;
};

const refusal = (...paths: string[]): Promise<string> => readPlanFiles(paths, {}).then(() => "", messageIn);

describe("the files of a plan", () => {
  it("are read from folders, in the namespace default, with a note about objects of other kinds", async () => {
    const inner = join(folder, "inner");
    mkdirSync(inner);
    file(rule("a"), "inner/a.yaml");
    file(
      `${rule("b", "target: DROP", ", namespace: edge, labels: { tier: x }")}---\napiVersion: v1\nkind: Service\nmetadata: { name: s }\n`,
      "inner/b.yaml",
    );
    file("not: [yaml", "inner/notes.txt");
    file("resources: [a.yaml]", "inner/kustomization.yaml");
    const { objects, ignored } = await readPlanFiles([inner], {});
    expect(objects.map(({ object: { metadata } }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
      "default/a",
      "edge/b",
    ]);
    expect(ignored).toEqual(["Service default/s"]);
    expect((await readPlanFiles([inner], { tier: "x" })).objects.map(({ object }) => object.metadata.name)).toEqual([
      "b",
    ]);
  });

  it("are refused with the file, the field and the remedy", async () => {
    const missing = join(folder, "missing");
    expect(await refusal(missing)).toBe(`cannot read ${missing}: there is no such file or folder`);
    expect(await refusal(file("a: [b"))).toMatch(/cannot read .*\.yaml: /);
    expect(await refusal(file("just a text"))).toMatch(
      "is not a Kubernetes object; it needs apiVersion, kind and metadata.name",
    );
    expect(await refusal(file(rule("a", "target: EXPLODE")))).toMatch(/\.yaml: .*spec\.target: .*EXPLODE/);
    expect(await refusal(file(rule("a", "dest_port: 80")))).toMatch(/spec\.dest_port/);
    expect(await refusal(file(rule("A_b")))).toMatch(/metadata\.name/);
    expect(await refusal(file(rule("a").replace("FirewallRule", "FirewallRull")))).toMatch(
      '"FirewallRull" is not a kind of batch.sdewan.akraino.org; use one of',
    );
    expect(await refusal(file(rule("a").replace("v1alpha1", "v1")))).toMatch(
      "apiVersion batch.sdewan.akraino.org/v1 is not served; use batch.sdewan.akraino.org/v1alpha1",
    );
    expect(await refusal(file(rule("a")), file(rule("a")))).toMatch(
      "FirewallRule default/a occurs twice; remove one of the two",
    );
  });

  it("may be a pipe, but not one that never ends", async () => {
    const pipe = join(folder, "pipe.yaml");
    execFileSync("mkfifo", [pipe]);
    const clock = new FakeClock();
    const reading = readPlanFiles([pipe], {}, clock).catch(messageIn);
    await vi.waitFor(() => expect(clock.waiting).toBeGreaterThan(0));
    await clock.advance(30_000);
    expect(await reading).toBe(`cannot read ${pipe}: interrupted before the whole input was read`);
  });
});
