import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a file of `src/api` says of itself, as far as can be told without running it. */
export interface ApiFile {
  readonly path: string;
  readonly group?: string | undefined;
  readonly version?: string | undefined;
  readonly kind?: string | undefined;
  readonly plural?: string | undefined;
  readonly scope?: string | undefined;
  readonly exportName?: string | undefined;
}

export function apiFiles(root: string): ApiFile[] {
  const folder = join(root, "src/api");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && name !== "index.ts")
    .sort()
    .map((name) => {
      const text = readFileSync(join(folder, name), "utf8");
      const said = (field: string): string | undefined => new RegExp(`\\b${field}: "([^"]*)"`).exec(text)?.[1];
      return {
        path: `src/api/${name}`,
        group: said("group"),
        version: said("version"),
        kind: said("kind"),
        plural: said("plural"),
        scope: said("scope"),
        exportName: /export const (\w+) = defineKind\(/.exec(text)?.[1],
      };
    });
}
