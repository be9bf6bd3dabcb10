import { type CommandResult, done, type Program } from "./shell.ts";

/** The packet filter, with the rules that requests have added. The rules of each `<table> <chain>` are in order. */
export class Iptables {
  readonly #chains = new Map<string, string[]>();

  /** Returns the rules in a chain. Each consists of the arguments after the chain's name. */
  rules(table: string, chain: string): readonly string[] {
    return this.#chains.get(`${table} ${chain}`) ?? [];
  }

  /** Returns all rules, in the form `-t <table> -A <chain> <rule>`. */
  all(): string[] {
    return [...this.#chains].flatMap(([key, rules]) => {
      const [table, chain] = key.split(" ");
      return rules.map((rule) => `-t ${table} -A ${chain} ${rule}`);
    });
  }

  /** Removes all rules, as the firewall does when it starts. */
  flush(): void {
    this.#chains.clear();
  }

  readonly program: Program = (argv) => {
    const [table, rest] = argv[1] === "-t" ? [argv[2] ?? "filter", argv.slice(3)] : ["filter", argv.slice(1)];
    const [operation, chain = "", ...words] = rest;
    return this.#apply(operation, `${table} ${chain}`, words);
  };

  #apply(operation: string | undefined, key: string, words: readonly string[]): CommandResult {
    const rules = this.#chains.get(key) ?? [];
    this.#chains.set(key, rules);
    if (operation === "-I") rules.splice(Number(words[0]) - 1, 0, words.slice(1).join(" "));
    if (operation === "-A") rules.push(words.join(" "));
    if (operation !== "-D") return done;
    const index = rules.indexOf(words.join(" "));
    if (index < 0)
      return { exitCode: 1, stdout: "", stderr: "iptables: Bad rule (does a matching rule exist in that chain?)." };
    rules.splice(index, 1);
    return done;
  }
}
