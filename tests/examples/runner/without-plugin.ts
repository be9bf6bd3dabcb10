import { dirname, join } from "node:path";
import type { Plugin } from "vitest/config";

const query = /\?without=(-?\d+)$/;

/** Makes a test file with `?without=3` see its example's roles without the verb at that position; with -1, they are complete. */
export function withoutPlugin(exportsOf: (rolePath: string) => readonly string[]): Plugin {
  return {
    name: "roles-without-verbs",
    enforce: "pre",
    resolveId(source, importer) {
      const [asked] = query.exec(importer ?? "") ?? [];
      return asked && importer && source === "./role.ts" ? `${join(dirname(importer), source)}${asked}` : undefined;
    },
    load(id) {
      const [asked, number] = query.exec(id) ?? [];
      if (!asked || !id.endsWith(`/role.ts${asked}`)) return undefined;
      const path = id.slice(0, -asked.length);
      return [
        `import * as whole from ${JSON.stringify(path)};`,
        `import { withoutVerb } from ${JSON.stringify(join(import.meta.dirname, "roles.ts"))};`,
        `const roles = withoutVerb(whole, ${number});`,
        ...exportsOf(path).map((name) => `export const ${name} = roles.${name};`),
      ].join("\n");
    },
  };
}
