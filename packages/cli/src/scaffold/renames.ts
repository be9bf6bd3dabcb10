import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TextFile } from "../project/files.ts";

/** Names of earlier versions, and the present ones. The page "Renames" of the documentation lists them, too. */
export const renames: Readonly<Record<string, string>> = {
  // imported
  cachedKind: "byObject",
  ExpiringStore: "TTLStore",
  PushStore: "UndeltaStore",
  SimpleInformer: "Informer",
  SimpleInformerOptions: "InformerOptions",
  // methods, and properties of options
  ".sharing(": ".index(",
  ".watchesSource(": ".watchesRawSource(",
  "uncached:": "disableFor:",
};

/** Comments, strings and parts of templates, which stay as they are. */
const texts = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/;
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const names = Object.keys(renames).map(
  (name) => `${/^\w/.test(name) ? "\\b" : ""}${escaped(name)}${/\w$/.test(name) ? "\\b" : ""}`,
);
const token = new RegExp(`(${texts.source})|${names.join("|")}`, "g");
const importsUs = /\bfrom\s+["'](?:kubewright|@kubewright\/)/;

/** Returns the text with present names. Files that import nothing of Kubewright stay as they are. */
export function renamed(text: string): string {
  if (!importsUs.test(text)) return text;
  return text.replace(token, (found, other: string | undefined) => other ?? renames[found] ?? found);
}

/** Returns the sources of a project in which names of earlier versions were replaced. */
export function renamedFiles(root: string): readonly TextFile[] {
  const skipped = ["node_modules", "dist", ".kubewright", ".git"];
  return globSync("**/*.{ts,tsx,mts}", { cwd: root, exclude: (name) => skipped.includes(name) })
    .map((name) => name.replaceAll("\\", "/"))
    .sort()
    .flatMap((path) => {
      const text = readFileSync(join(root, path), "utf8");
      const next = renamed(text);
      return next === text ? [] : [{ path, text: next }];
    });
}
