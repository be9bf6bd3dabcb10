import { type CommandResult, done, type Program } from "./shell.ts";

/** A rule in a chain. Its text consists of the arguments after the chain's name. */
interface Rule {
  readonly text: string;
  /** True if a request to the CNF added the rule, rather than the firewall service. */
  readonly isRequested: boolean;
}

/** The packet filter. The rules in each `<table> <chain>` are ordered: the first rule that matches a packet applies. */
export class Iptables {
  readonly #chains = new Map<string, Rule[]>();

  /** Returns the rules in a chain that requests have added. Each consists of the arguments after the chain's name. */
  rules(table: string, chain: string): readonly string[] {
    return this.#rulesOf(table, chain).flatMap(({ text, isRequested }) => (isRequested ? [text] : []));
  }

  /** Returns all rules in a chain, including the firewall service's rules. A position in a command counts all rules. */
  chain(table: string, chain: string): readonly string[] {
    return this.#rulesOf(table, chain).map(({ text }) => text);
  }

  /** Returns all rules that requests have added, in the form `-t <table> -A <chain> <rule>`. */
  all(): string[] {
    return [...this.#chains.keys()].flatMap((key) => {
      const [table = "", chain = ""] = key.split(" ");
      return this.rules(table, chain).map((rule) => `-t ${table} -A ${chain} ${rule}`);
    });
  }

  /** Appends the firewall service's rules to a chain. */
  append(table: string, chain: string, rules: readonly string[]): void {
    this.#rulesOf(table, chain).push(...rules.map((text) => ({ text, isRequested: false })));
  }

  /** Removes the rules whose text matches; by default, all rules. The other rules keep their order. */
  remove(pattern: RegExp = /^/): void {
    for (const [key, rules] of this.#chains)
      this.#chains.set(
        key,
        rules.filter(({ text }) => !pattern.test(text)),
      );
  }

  readonly program: Program = (argv) => {
    const [table, rest] = argv[1] === "-t" ? [argv[2] ?? "filter", argv.slice(3)] : ["filter", argv.slice(1)];
    const [operation, chain = "", ...words] = rest;
    const problem = problemOf(table, words);
    return problem ?? this.#apply(operation, this.#rulesOf(table, chain), words);
  };

  #apply(operation: string | undefined, rules: Rule[], words: readonly string[]): CommandResult {
    const position = operation === "-I" && /^\d+$/.test(words[0] ?? "") ? Number(words[0]) : undefined;
    const text = words.slice(position === undefined ? 0 : 1).join(" ");
    if (operation === "-A") rules.push({ text, isRequested: true });
    if (operation === "-I") {
      const index = (position ?? 1) - 1;
      if (index > rules.length) return failed(1, "iptables: Index of insertion too big.");
      rules.splice(index, 0, { text, isRequested: true });
    }
    if (operation !== "-D") return done;
    const index = rules.findIndex((rule) => rule.text === text);
    if (index < 0) return failed(1, "iptables: Bad rule (does a matching rule exist in that chain?).");
    rules.splice(index, 1);
    return done;
  }

  #rulesOf(table: string, chain: string): Rule[] {
    const key = `${table} ${chain}`;
    const rules = this.#chains.get(key) ?? [];
    this.#chains.set(key, rules);
    return rules;
  }
}

const failed = (exitCode: number, stderr: string): CommandResult => ({ exitCode, stdout: "", stderr });

/** Protocols with options for ports. */
const portProtocols: readonly (string | undefined)[] = ["tcp", "udp", "sctp"];

/** Returns the error of a command that iptables does not accept. */
function problemOf(table: string, words: readonly string[]): CommandResult | undefined {
  const valueIf = (option: string): string | undefined =>
    words.includes(option) ? words[words.indexOf(option) + 1] : undefined;
  const [last = ""] = words.slice(-1);
  const protocol = valueIf("-p");
  const port = words.find((word) => word === "--dport" || word === "--sport");
  const [source = "", sourcePort] = valueIf("--to-source")?.split(":") ?? [];
  if (last.startsWith("-")) return failed(2, `option "${last}" requires an argument`);
  if (protocol === "tcpudp") return failed(2, `unknown protocol "${protocol}" specified`);
  if (port !== undefined && !portProtocols.includes(protocol)) return failed(2, `unknown option "${port}"`);
  if (sourcePort !== undefined && !portProtocols.includes(protocol))
    return failed(2, "Need TCP, UDP, SCTP or DCCP with port specification");
  if (source.includes("/")) return failed(2, `Bad IP address "${source}"`);
  if (valueIf("-j") === "NOTRACK" && table !== "raw")
    return failed(4, "iptables: Invalid argument. Run `dmesg' for more information.");
  const mark = valueIf("--mark");
  if (mark !== undefined && Number.isNaN(Number(mark.split("/")[0])))
    return failed(2, 'mark: bad integer value for option "--mark", or out of range.');
  return undefined;
}
