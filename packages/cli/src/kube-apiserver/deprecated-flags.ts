import { deprecationLines } from "./flag-lines.ts";

/** What kube-apiserver says when one of its deprecated flags is used. */
export const deprecatedFlags: ReadonlyMap<string, string> = new Map(
  deprecationLines
    .trim()
    .split("\n")
    .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)] as const),
);
