import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { TextFile } from "./files.ts";

const header = "// Written by kubewright create: a line for each file of this folder.\n";

/** Folders of a project that have a barrel, and what it says. */
const barrels = {
  api: (names: readonly string[]) => names.map((name) => `export * from "./${name}.ts";\n`).join("") || "export {};\n",
  controllers: (names: readonly string[]) => lists("controllers", names),
  webhooks: (names: readonly string[]) => lists("webhooks", names),
} as const;

/** The barrels as the folders' files have them: the only files that are rewritten. `added` are about to be written. */
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

function lists(folder: string, names: readonly string[]): string {
  const imports = names.map((name) => `import { add as ${camel(name)} } from "./${name}.ts";\n`).join("");
  const list = `[${names.map(camel).join(", ")}]`;
  const blank = names.length > 0 ? "\n" : "";
  return `import type { Manager } from "kubewright";\n${imports}${blank}export const ${folder}: readonly ((manager: Manager) => void)[] = ${list};\n`;
}

/** Reserved words end in an underscore. */
function camel(name: string): string {
  const text = name.replace(/[^A-Za-z0-9]+(.)?/g, (_all, letter: string | undefined) => (letter ?? "").toUpperCase());
  return /^(?:case|class|default|delete|enum|export|for|function|if|import|in|new|package|return|switch|this|var|void|while|with|manager)$/.test(
    text,
  )
    ? `${text}_`
    : text;
}
