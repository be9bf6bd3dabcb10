import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Violation } from "./check.ts";
import type { WorkspacePackage } from "./workspace.ts";

/** File with the names that `kubewright upgrade` replaces. */
const codemod = "packages/cli/src/scaffold/upgraded-files.ts";

/** A docstring with the tag and the declaration that follows it. */
const tagged =
  /\/\*\*(?:(?!\*\/)[\s\S])*?@deprecated((?:(?!\*\/)[\s\S])*)\*\/\s*((?:(?:export|declare|abstract|public|static|readonly|async|get|function|class|const|interface|type)\s+)*)([\w$]+)/g;

/**
 * Returns the declarations of a published package that are tagged `@deprecated` and do not name their replacement, are not replaced by
 * `kubewright upgrade`, or do not call `warnDeprecated`. Types cannot call it.
 */
export function silentDeprecations(root: string, { folder, floor }: WorkspacePackage): readonly Violation[] {
  if (floor === "check") return [];
  const table = existsSync(join(root, codemod)) ? readFileSync(join(root, codemod), "utf8") : "";
  const files = globSync("src/**/*.ts", { cwd: join(root, folder) }).filter((path) => !path.endsWith(".test.ts"));
  return files.sort().flatMap((path) => {
    const text = readFileSync(join(root, folder, path), "utf8");
    return [...text.matchAll(tagged)].flatMap(([, remark = "", modifiers = "", name = ""]) => {
      const missing = [
        /\w/.test(remark) ? "" : "name the replacement after the tag",
        new RegExp(`\\b${name}\\b`).test(table) ? "" : `add it to ${codemod}`,
        /\b(?:interface|type)\b/.test(modifiers) || new RegExp(`warnDeprecated\\(\\s*"(?:\\w+\\.)?${name}"`).test(text)
          ? ""
          : "call warnDeprecated of @kubewright/log where it is used",
      ].filter((part) => part !== "");
      return missing.length === 0
        ? []
        : [`${folder}/${path.replaceAll("\\", "/")}: ${name} is deprecated: ${missing.join("; ")}`];
    });
  });
}
