import type { Cnf } from "../cnf.ts";
import { lines } from "./conntrack.ts";

const labels = [
  ["gateway", "via"],
  ["device", "dev"],
  ["scope", "scope"],
  ["proto", "proto"],
  ["metric", "metric"],
  ["src", "src"],
] as const;

/** Returns the routes in each table to which a routing rule refers. */
export function routeStatus(cnf: Cnf): object {
  const rules = lines(cnf.shell.read("ip", "rule"));
  const tables = new Set(rules.flatMap((line) => /lookup (\S+)/.exec(line)?.[1] ?? []));
  return Object.fromEntries(
    [...tables].sort().map((table) => {
      const routes = lines(cnf.shell.read("ip", "route", "show", "table", table));
      return [table, { item: routes.map(parse) }];
    }),
  );
}

/** Parses a line of `ip route`. The first word is treated as the destination, even in lines such as `local 10.0.0.1 dev ...`. */
function parse(line: string): object {
  const words = line.trim().split(/\s+/);
  const found = labels.flatMap(([key, word]) => {
    const index = words.indexOf(word, 1);
    return index < 0 ? [] : [[key, words[index + 1]] as const];
  });
  return { destination: words[0], ...Object.fromEntries(found) };
}
