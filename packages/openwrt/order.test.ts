import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CnfSimulator } from "./src/testing/index.ts";

interface Step {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
  /** Names in each collection whose order has changed. */
  readonly order?: Readonly<Record<string, string>>;
  /** Rules in each chain that has changed. */
  readonly chains?: Readonly<Record<string, string>>;
  readonly commands?: readonly string[];
}

interface Group {
  readonly group: string;
  readonly steps: readonly Step[];
}

type Texts = Readonly<Record<string, string>>;

const groups: readonly Group[] = JSON.parse(readFileSync(new URL("testdata/order.json", import.meta.url), "utf8"));

/** Groups in which a CNF as specified refuses what the reference accepts. */
const refused = ["firewall-duplicates", "nats-duplicates", "nats-with-index", "iptables-refuses"];
const chains = ["filter INPUT", "filter FORWARD", "mangle PREROUTING", "nat PREROUTING", "nat POSTROUTING"];

const start = (quirks: boolean): CnfSimulator =>
  CnfSimulator.withoutServer({
    quirks,
    auth: "stock",
    interfaces: [
      { name: "eth0", ip: "10.244.0.7" },
      { name: "net1", ip: "10.20.0.2" },
      { name: "net2", ip: "10.21.0.2" },
    ],
    dns: Object.fromEntries(["a", "b", "c"].map((name) => [`${name}.example`, "10.96.0.9"])),
  });

function orders(cnf: CnfSimulator): Texts {
  return Object.fromEntries(
    Object.entries(cnf.config()).map(([path, list]) => {
      const [objects = []] = Object.values(list as Record<string, readonly { readonly name: string }[]>);
      return [path, objects.map(({ name }) => name).join(" ")];
    }),
  );
}

/** Returns the part of a rule that the recordings show. */
function label(rule: string): string {
  if (rule.includes("!fw3")) return "!fw3";
  return /--dport \d+/.exec(rule)?.[0] ?? /-d [\d.]+/.exec(rule)?.[0] ?? rule;
}

function inChains(cnf: CnfSimulator): Texts {
  return Object.fromEntries(
    chains.map((key) => {
      const [table = "", chain = ""] = key.split(" ");
      return [key, cnf.iptables.chain(table, chain).map(label).join(" | ")];
    }),
  );
}

const changed = (before: Texts, after: Texts): Texts =>
  Object.fromEntries(Object.entries(after).filter(([key, text]) => before[key] !== text));

async function play(cnf: CnfSimulator, { steps }: Group): Promise<Step[]> {
  const played: Step[] = [];
  for (const { name, method, path, body } of steps) {
    const before = { order: orders(cnf), chains: inChains(cnf), commands: cnf.commands.length };
    const answer = await cnf.answer({
      method,
      path: `/cgi-bin/luci/sdewan/${path}`,
      headers: {},
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
      isChunked: false,
    });
    const words = cnf.commands.slice(before.commands).map((argv) => argv.join(" "));
    const commands = words.filter((line) => /^(iptables|ip (route|rule) (add|del)|fw3|\/etc)/.test(line));
    const [order, chains] = [changed(before.order, orders(cnf)), changed(before.chains, inChains(cnf))];
    played.push({ name, method, path, body, status: answer?.status ?? 0, order, chains, commands });
  }
  return played;
}

describe("order of objects and rules", () => {
  it("starts with the rules of the firewall", () => {
    expect(inChains(start(true))).toEqual({
      "filter INPUT": "!fw3 | !fw3 | !fw3 | !fw3",
      "filter FORWARD": "!fw3 | !fw3",
      "mangle PREROUTING": "",
      "nat PREROUTING": "!fw3",
      "nat POSTROUTING": "!fw3 | -o eth0 -j MASQUERADE",
    });
  });

  it.each(groups)("is that of the reference: $group", async (group) => {
    const played = await play(start(true), group);
    const recorded = group.steps.map(({ order = {}, chains = {}, commands = [], ...step }) => ({
      ...{ body: undefined, ...step, order, chains },
      // The shell treats the rest as a comment.
      commands: commands.map((line) => line.replace(/ #.*/, "")),
    }));
    expect(played).toEqual(recorded);
  });

  const accepted = groups.filter(({ group }) => !refused.includes(group));
  it.each(accepted)("is the same in a CNF as specified: $group", async (group) => {
    const namesOf = (steps: readonly Step[]) => steps.map(({ name, status, order = {} }) => ({ name, status, order }));
    expect(namesOf(await play(start(false), group))).toEqual(namesOf(group.steps));
  });
});
