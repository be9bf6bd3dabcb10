import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const folders = readdirSync(join(root, "examples")).filter((name) => /^\d/.test(name));
const text = (...path: string[]): string => readFileSync(join(root, ...path), "utf8");

it("contains the first controller of the README", () => {
  expect(text("README.md")).toContain(`\`\`\`ts\n${text("examples", "01-minimal", "main.ts")}\`\`\``);
});

describe.each(folders)("%s", (folder) => {
  const files = readdirSync(join(root, "examples", folder), { recursive: true, encoding: "utf8" }).filter(
    (path) => !path.startsWith("node_modules"),
  );

  it("is self-contained when copied: it needs nothing from the workspace", () => {
    for (const path of files.filter((name) => /\.(ts|json)$/.test(name) && name !== "project.json")) {
      const depth = path.split("/").length;
      expect(text("examples", folder, path), path).not.toContain(`"${"../".repeat(depth)}`);
      expect(text("examples", folder, path), path).not.toMatch(/@kubewright\/source|"\.\.", "/);
    }
    for (const path of ["README.md", "start.ts", "role.ts", "tsconfig.json", ".gitignore"])
      expect(existsSync(join(root, "examples", folder, path)), path).toBe(true);
    const { scripts } = JSON.parse(text("examples", folder, "package.json"));
    expect(scripts).toEqual({ start: "node start.ts", typecheck: "tsc", test: "vitest run" });
  });

  it("is listed in the README, with the command to run it", () => {
    expect(text("examples", "README.md")).toContain(`](${folder})`);
    expect(text("examples", folder, "README.md")).toContain(`npm start --workspace @kubewright-examples/${folder}\n`);
  });
});
