/** A network interface of the CNF. */
export interface InterfaceOptions {
  readonly name: string;
  /** IPv4 address of the interface. */
  readonly ip: string;
  /** Prefix length of the IPv4 address. Default 24. */
  readonly prefixLength?: number | undefined;
  /** IPv6 address with its prefix length. */
  readonly ip6?: string | undefined;
  /** MAC address. Default: derived from the IPv4 address. */
  readonly mac?: string | undefined;
  readonly receivedPackets?: number | undefined;
  readonly sentPackets?: number | undefined;
  /** True if the interface is up. Default true. */
  readonly up?: boolean | undefined;
}

/** A network interface in the simulated kernel. */
export interface KernelInterface {
  readonly name: string;
  readonly ip: string;
  readonly ip6?: string | undefined;
  readonly prefixLength: number;
  readonly mac: string;
  readonly receivedPackets: number;
  readonly sentPackets: number;
  up: boolean;
}

/** A route in the simulated kernel. */
export interface KernelRoute {
  readonly table: string;
  /** Text of the route as `ip route show` prints it, without the table. */
  readonly text: string;
}

/** A routing rule in the simulated kernel, as shown by `ip rule`. */
export interface KernelRule {
  readonly prio: number;
  readonly not: boolean;
  readonly from: string;
  readonly to?: string | undefined;
  readonly fwmark?: string | undefined;
  readonly table: string;
}

export interface KernelOptions {
  readonly interfaces: readonly InterfaceOptions[];
  readonly defaultRoute?: { readonly interface: string; readonly gateway: string } | undefined;
}

/** The kernel of a simulated CNF: interfaces, routes and routing rules. */
export class Kernel {
  readonly interfaces: KernelInterface[] = [];
  readonly defaultInterface: string | undefined;
  readonly #gateway: string | undefined;
  #routes: KernelRoute[] = [];
  #rules: KernelRule[] = [
    { prio: 0, not: false, from: "all", table: "local" },
    { prio: 32_766, not: false, from: "all", table: "main" },
    { prio: 32_767, not: false, from: "all", table: "default" },
  ];

  constructor(options: KernelOptions) {
    for (const given of options.interfaces) this.addInterface(given);
    this.defaultInterface = options.defaultRoute?.interface;
    this.#gateway = options.defaultRoute?.gateway;
  }

  /** Adds or replaces an interface. */
  addInterface({ name, ip, ip6, ...options }: InterfaceOptions): void {
    this.removeInterface(name);
    const place = this.interfaces.length + 1;
    this.interfaces.push({
      ...{ name, ip },
      ...(ip6 === undefined ? {} : { ip6 }),
      prefixLength: options.prefixLength ?? 24,
      mac: options.mac ?? `0A:58:${hex(ip.split(".").map(Number))}`,
      receivedPackets: options.receivedPackets ?? place * 10,
      sentPackets: options.sentPackets ?? place * 7,
      up: options.up ?? true,
    });
  }

  removeInterface(name: string): void {
    const index = this.interfaces.findIndex((candidate) => candidate.name === name);
    if (index >= 0) this.interfaces.splice(index, 1);
  }

  hasInterface(name: string): boolean {
    return name === "lo" || this.interfaces.some((candidate) => candidate.name === name);
  }

  get upInterfaces(): readonly KernelInterface[] {
    return this.interfaces.filter(({ up }) => up);
  }

  /** Returns the routes in a table, as `ip route show` prints them. */
  routesOf(table: string): readonly string[] {
    const added = this.#routes.filter((route) => route.table === table).map(({ text }) => text);
    if (table === "main") return [...this.#defaultRoute(), ...this.upInterfaces.map(connectedRoute), ...added];
    if (table === "local") return [localRoute("127.0.0.1", "lo"), ...this.upInterfaces.map(ownRoute), ...added];
    return added;
  }

  /** Adds a route. Returns false if the table already contains a route to the same destination. */
  addRoute({ table, text }: KernelRoute): boolean {
    const route = { table, text: shown(text) };
    const others = this.#routes.filter((other) => other.table === table);
    if (others.some((other) => destinationOf(other) === destinationOf(route))) return false;
    this.#routes.push(route);
    return true;
  }

  /** Deletes the route that has all properties of the given route, and possibly others. Returns false if it does not exist. */
  deleteRoute({ table, text }: KernelRoute): boolean {
    const route = { table, text: shown(text) };
    const index = this.#routes.findIndex(
      (other) =>
        other.table === table &&
        destinationOf(other) === destinationOf(route) &&
        propertiesOf(route).every((property) => propertiesOf(other).includes(property)),
    );
    if (index >= 0) this.#routes.splice(index, 1);
    return index >= 0;
  }

  get rules(): readonly KernelRule[] {
    return this.#rules;
  }

  /** Adds a routing rule. As in the kernel, a rule without a priority is placed before all others except the first. */
  addRule(rule: Omit<KernelRule, "prio"> & { readonly prio?: number }): void {
    const lowest = this.#rules.find(({ prio }) => prio > 0)?.prio ?? 32_766;
    this.#rules.push({ ...rule, prio: rule.prio ?? lowest - 1 });
    this.#rules.sort((a, b) => a.prio - b.prio);
  }

  /** Deletes a routing rule. Returns false if it does not exist. */
  deleteRule(rule: Omit<KernelRule, "prio"> & { readonly prio?: number }): boolean {
    const same = (other: KernelRule): boolean =>
      (rule.prio === undefined || rule.prio === other.prio) &&
      (["not", "from", "to", "fwmark", "table"] as const).every((key) => rule[key] === other[key]);
    const index = this.#rules.findIndex(same);
    if (index >= 0) this.#rules.splice(index, 1);
    return index >= 0;
  }

  #defaultRoute(): string[] {
    const { defaultInterface } = this;
    if (!this.upInterfaces.some(({ name }) => name === defaultInterface)) return [];
    return [`default via ${this.#gateway} dev ${defaultInterface}`];
  }
}

/** Returns the text of a route with its destination as `ip route show` prints it. */
const shown = (text: string): string =>
  text.replace(/^(\S+)\/32(?= |$)/, "$1").replace(/^0\.0\.0\.0\/0(?= |$)/, "default");

const destinationOf = ({ text }: KernelRoute): string | undefined => text.split(" ")[0];

/** Returns the pairs of words after the destination of a route, such as `dev net1`. */
const propertiesOf = ({ text }: KernelRoute): readonly string[] => text.match(/(?<= )(?:via|dev|src) \S+/g) ?? [];

function hex(bytes: readonly number[]): string {
  return bytes.map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(":");
}

function connectedRoute({ name, ip, prefixLength }: KernelInterface): string {
  const mask = prefixLength === 0 ? 0 : (-1 << (32 - prefixLength)) >>> 0;
  const address = ip.split(".").reduce((sum, part) => ((sum << 8) | Number(part)) >>> 0, 0);
  const network = (address & mask) >>> 0;
  const dotted = [24, 16, 8, 0].map((shift) => (network >>> shift) & 255).join(".");
  return `${dotted}/${prefixLength} dev ${name} proto kernel scope link src ${ip}`;
}

function ownRoute({ name, ip }: KernelInterface): string {
  return localRoute(ip, name);
}

function localRoute(ip: string, name: string): string {
  return `local ${ip} dev ${name} proto kernel scope host src ${ip}`;
}
