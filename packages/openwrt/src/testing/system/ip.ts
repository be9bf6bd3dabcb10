import type { Kernel, KernelRule } from "./kernel.ts";
import { type CommandResult, done, type Program } from "./shell.ts";

/** The commands `ip route`, `ip rule` and `ip a show dev`. */
export const ip: Program = (argv, { kernel }) => {
  const [, object, verb, ...rest] = argv;
  if (object === "route") return route(kernel, verb, rest);
  if (object === "rule") return rule(kernel, verb, rest);
  const found = kernel.interfaces.find(({ name }) => name === rest.at(-1));
  return found
    ? print([`    inet ${found.ip}/${found.prefixLength} scope global ${found.name}`])
    : fail("no such device");
};

function route(kernel: Kernel, verb: string | undefined, words: readonly string[]): CommandResult {
  if (verb === undefined) return print(kernel.routesOf("main"));
  if (verb === "show") return print(kernel.routesOf(words[1] ?? "main"));
  const [table, rest] = words[0] === "table" ? [words[1] ?? "main", words.slice(2)] : ["main", words];
  const wanted = { table, text: rest.join(" ") };
  if (verb === "add") return kernel.addRoute(wanted) ? done : fail("RTNETLINK answers: File exists");
  return kernel.deleteRoute(wanted) ? done : fail("RTNETLINK answers: No such process");
}

function rule(kernel: Kernel, verb: string | undefined, words: readonly string[]): CommandResult {
  if (verb === undefined) return print(kernel.rules.map(printRule));
  const after = (word: string): string | undefined => {
    const index = words.indexOf(word);
    return index < 0 ? undefined : words[index + 1];
  };
  const [to, fwmark, prio] = [after("to"), after("fwmark"), after("prio")];
  const wanted = {
    not: words[0] === "not",
    from: after("from") ?? "all",
    table: after("lookup") ?? "main",
    ...(to !== undefined && { to }),
    ...(fwmark !== undefined && { fwmark }),
    ...(prio !== undefined && { prio: Number(prio) }),
  };
  if (verb === "del") return kernel.deleteRule(wanted) ? done : fail("RTNETLINK answers: No such file or directory");
  kernel.addRule(wanted);
  return done;
}

/** Formats a routing rule with the trailing blank that iproute2 prints. */
function printRule({ prio, not, from, to, fwmark, table }: KernelRule): string {
  const words = [not && "not", `from ${from}`, to && `to ${to}`, fwmark && `fwmark ${fwmark}`, `lookup ${table} `];
  return `${prio}:\t${words.filter(Boolean).join(" ")}`;
}

function print(lines: readonly string[]): CommandResult {
  return { ...done, stdout: lines.map((line) => `${line}\n`).join("") };
}

function fail(stderr: string): CommandResult {
  return { exitCode: 2, stdout: "", stderr };
}
