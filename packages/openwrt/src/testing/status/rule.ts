import type { Cnf } from "../cnf.ts";
import { lines } from "./conntrack.ts";

/** Returns the routing rules. The reference CNF finds a rule's table only if no space follows it. */
export function ruleStatus(cnf: Cnf): object[] {
  const table = cnf.quirks ? /lookup (\S+)$/ : /lookup (\S+)/;
  return lines(cnf.shell.read("ip", "rule")).map((line) => {
    const entries = [
      ["prio", /^(\d+):/],
      ["src", /from (\S+)/],
      ["dst", /to (\S+)/],
      ["fwmark", /fwmark (\S+)/],
      ["table", table],
    ] as const;
    const found = entries.map(([key, pattern]) => [key, pattern.exec(line)?.[1]] as const);
    return {
      ...Object.fromEntries(found.filter(([, value]) => value !== undefined)),
      not: String(/\bnot\b/.test(line)),
    };
  });
}
