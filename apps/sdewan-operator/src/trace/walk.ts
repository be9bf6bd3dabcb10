import type { DefinedKind } from "@kubewright/apimachinery";
import { contains, type IcmpType, type Mark, overlaps, type PacketSet } from "../effect/packet-set.ts";
import { matchedPackets, type RulePackets } from "../effect/rule-packets.ts";
import type { UciObject } from "../uci/uci-object.ts";
import type { Flow } from "./flow.ts";
import type { TracedCnf } from "./traced-cnf.ts";

/** A part of a CNF through which a packet passes, in the order used by the kernel. */
export type Stage = "mark" | "destination NAT" | "routing" | "filter" | "source NAT" | "IPsec";

/** A step in a packet's path through a CNF. */
export interface TraceStep {
  readonly stage: Stage;
  readonly text: string;
  /** The resource that decides, such as `FirewallRule default/web`. Undefined if something else decides. */
  readonly resource?: string;
}

/** State of a packet as it passes through a CNF. */
export interface Packet {
  source: number;
  destination: number;
  sourcePort: number | undefined;
  destinationPort: number | undefined;
  readonly protocol: number;
  readonly icmp: IcmpType | undefined;
  readonly mac: string | undefined;
  /** The mark, as far as it is known: the mask contains the known bits. */
  mark: Mark;
  incoming: string | undefined;
  outgoing: string | undefined;
  /** True if the destination has been translated. */
  isRedirected: boolean;
  /** True if the kernel does not track the connection. Such a connection is not translated. */
  isUntracked: boolean;
}

/** Result of matching a rule against a packet. `maybe` means that the result depends on unknown facts. */
export type Match = "yes" | "no" | "maybe";

const allBits = 0xff_ff_ff_ff;
/** Maximum number of conditions of a verdict. */
const maxConditions = 20;

/** A packet on its way through a CNF, with the steps so far. */
export class Walk {
  readonly cnf: TracedCnf;
  readonly packet: Packet;
  readonly steps: TraceStep[] = [];
  readonly #conditions = new Set<string>();
  readonly #derived = new Map<unknown, unknown>();
  #omitted = 0;

  constructor(cnf: TracedCnf, flow: Flow) {
    this.cnf = cnf;
    const { from, to, port, sourcePort, protocol, icmp, mac, mark, incoming } = flow;
    this.packet = {
      source: from,
      destination: to,
      sourcePort,
      destinationPort: port,
      protocol,
      icmp,
      mac,
      mark: { value: mark, mask: allBits, inverted: false },
      incoming,
      outgoing: undefined,
      isRedirected: false,
      isUntracked: false,
    };
  }

  /**
   * Returns the value that a function derives from the CNF. The value is computed only once: otherwise, each rule might be compared with
   * all others, and a CNF may report tens of thousands.
   */
  of<T>(derive: (cnf: TracedCnf) => T): T {
    if (!this.#derived.has(derive)) this.#derived.set(derive, derive(this.cnf));
    return this.#derived.get(derive) as T; // the function returned it
  }

  note(stage: Stage, text: string, resource?: string): void {
    this.steps.push({ stage, text, ...(resource === undefined ? {} : { resource }) });
  }

  /** Records an unknown fact on which the verdict depends. */
  require(condition: string): void {
    if (this.#conditions.size < maxConditions) this.#conditions.add(condition);
    else if (!this.#conditions.has(condition)) this.#omitted++;
  }

  /** Unknown facts on which the verdict depends. */
  get conditions(): readonly string[] {
    const more = this.#omitted > 0 ? [`and ${this.#omitted} more conditions`] : [];
    return [...this.#conditions, ...more];
  }

  /**
   * Reports whether a rule matches the packet. If this is unknown, records the condition that the rule does not match.
   *
   * @param name the rule's name in the condition @param object the object on the CNF, with resolved interfaces
   */
  matches(kind: DefinedKind, object: UciObject, name: string): boolean {
    const packets = matchedPackets(kind, object);
    const match = packets ? matchIn(packets, this.#set) : "maybe";
    if (match === "maybe") this.require(`${name} does not match${packets ? reasonFor(packets, this.#set) : ""}`);
    return match === "yes";
  }

  /** Reports whether a rule may match the packet. */
  isPossible(kind: DefinedKind, object: UciObject): boolean {
    const packets = matchedPackets(kind, object);
    return packets === undefined || matchIn(packets, this.#set) !== "no";
  }

  /** Reports whether a match is certain. If it is only possible, records a condition. */
  isCertain(match: Match, condition: string): boolean {
    if (match === "maybe") this.require(condition);
    return match === "yes";
  }

  get #set(): PacketSet {
    const { source, destination, sourcePort, destinationPort, protocol, icmp, mac, mark, incoming, outgoing } =
      this.packet;
    return {
      family: 4,
      protocol,
      source: { address: source, bits: 32 },
      destination: { address: destination, bits: 32 },
      sourcePort,
      destinationPort,
      icmp,
      mac,
      mark,
      incoming,
      outgoing,
    };
  }
}

function matchIn({ certain, possible }: RulePackets, packet: PacketSet): Match {
  if (certain.some((set) => contains(set, packet))) return "yes";
  return possible.some((set) => overlaps(set, packet)) ? "maybe" : "no";
}

const asked: readonly (readonly [keyof PacketSet, string])[] = [
  ["sourcePort", "pass --source-port"],
  ["mac", "pass --mac"],
  ["incoming", "pass --in"],
  ["outgoing", "the interface that the packet leaves through is not known"],
];

/** Returns the reason why a match is not known. */
function reasonFor({ possible, certain }: RulePackets, packet: PacketSet): string {
  if (certain.length === 0) return " (its fields cannot be interpreted)";
  const sets = possible.filter((set) => overlaps(set, packet));
  const missing = asked.find(([field]) => packet[field] === undefined && sets.some((set) => set[field] !== undefined));
  return missing ? ` (${missing[1]})` : " (the packet's mark is not known)";
}
