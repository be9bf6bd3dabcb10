import { deprecationLines } from "./flag-lines.ts";

/** Messages that kube-apiserver prints for deprecated flags. */
export const deprecatedFlags: ReadonlyMap<string, string> = new Map(
  deprecationLines
    .trim()
    .split("\n")
    .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)] as const),
);
