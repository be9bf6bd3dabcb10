import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, extname, join, normalize } from "node:path";
import { type Finding, linesOf } from "./finding.ts";

/** A page with its regions filled in, and the problems found. */
export interface Filled {
  readonly text: string;
  readonly findings: readonly Finding[];
}

/**
 * Replaces each line `<<< ../../examples/01-minimal/main.ts#site` with the lines between `// #region site` and `// #endregion site` of that
 * file, or with the whole file if there is no name. The path is relative to the page.
 *
 * @param file page, relative to `root`
 */
export function withRegions(root: string, file: string, text: string): Filled {
  const findings: Finding[] = [];
  const lines = linesOf(text).map(({ line, isCode }, index) => {
    const [, path, region] = (!isCode && /^<<< ([^\s#]+)(?:#(\S+))?\s*$/.exec(line)) || [];
    if (path === undefined) {
      if (!isCode && line.startsWith("<<<"))
        findings.push({ file, line: index + 1, message: `"${line}": expected <<< path#region, relative to the page` });
      return line;
    }
    const source = normalize(join(dirname(file), path)).replaceAll("\\", "/");
    const code = codeOf(root, source, region);
    if (typeof code === "string")
      return `\`\`\`${extname(source).slice(1) || basename(source).toLowerCase()}\n${code}\n\`\`\``;
    findings.push({ file, line: index + 1, message: code.problem });
    return line;
  });
  return { text: lines.join("\n"), findings };
}

function codeOf(root: string, source: string, region: string | undefined): string | { readonly problem: string } {
  const path = join(root, source);
  if (source.startsWith("..") || !existsSync(path)) return { problem: `${source}: no such file` };
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const isMark = (line: string): boolean => /^\s*(?:\/\/|#) ?#(?:end)?region\b/.test(line);
  if (region === undefined) return lines.filter((line) => !isMark(line)).join("\n");
  const at = (mark: string): number => lines.findIndex((line) => line.trim().replace(/^(\/\/|#) ?/, "") === mark);
  const [start, end] = [at(`#region ${region}`), at(`#endregion ${region}`)];
  if (start < 0 || end < start) return { problem: `${source}: no region "${region}"` };
  return outdented(lines.slice(start + 1, end).filter((line) => !isMark(line)));
}

function outdented(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== "").map((line) => /^ */.exec(line)?.[0].length ?? 0);
  const indent = Math.min(...indents);
  return lines.map((line) => line.slice(Number.isFinite(indent) ? indent : 0)).join("\n");
}
