import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileValueNames } from "./code-names.ts";
import type { TextFile } from "./files.ts";

const header = "// Written by kubewright create: one line per file in this folder.\n";

/** Contents of the barrels (the index modules of folders), keyed by folder. */
const barrels = {
  api: (names: readonly string[]) => names.map((name) => `export * from "./${name}.ts";\n`).join("") || "export {};\n",
  controllers: (names: readonly string[]) => lists("controllers", names),
  webhooks: (names: readonly string[]) => lists("webhooks", names),
} as const;

/**
 * Returns the barrels of all folders, including the files in `added`. Barrels are the only files that are overwritten
 * every time.
 */
export function barrelFiles(root: string, added: readonly string[] = []): TextFile[] {
  return (["api", "controllers", "webhooks"] as const).map((folder) => {
    const path = `src/${folder}`;
    const present = existsSync(join(root, path)) ? readdirSync(join(root, path)).map((name) => `${path}/${name}`) : [];
    const names = [...new Set([...present, ...added])]
      .filter((file) => file.startsWith(`${path}/`) && /^[^/]+\.ts$/.test(file.slice(path.length + 1)))
      .map((file) => file.slice(path.length + 1, -".ts".length))
      .filter((name) => name !== "index" && !name.endsWith(".test") && !name.endsWith(".d"))
      .sort();
    return { path: `${path}/index.ts`, text: header + barrels[folder](names) };
  });
}

function lists(folder: string, files: readonly string[]): string {
  const names = fileValueNames(files, [folder, "manager"]);
  const imports = files.map((file, i) => `import { add as ${names[i]} } from "./${file}.ts";\n`).join("");
  const blank = files.length > 0 ? "\n" : "";
  return `import type { Manager } from "kubewright";\n${imports}${blank}export const ${folder}: readonly ((manager: Manager) => void)[] = [${names.join(", ")}];\n`;
}
