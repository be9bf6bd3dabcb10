import type { Clock } from "@kubewright/clock";
import type { Cnf } from "./cnf.ts";
import { initialUci, podInterface } from "./initial-config.ts";
import { Collection } from "./resources/collection.ts";
import { forwardingCommand, readRows } from "./resources/forwarding-file.ts";
import { nats } from "./resources/nats.ts";
import { networkFirewallRules } from "./resources/network-firewall-rules.ts";
import type { OpenCollection } from "./resources/open-collection.ts";
import { Router } from "./router.ts";
import { Sessions } from "./session.ts";
import { Firewall } from "./system/firewall.ts";
import { ifconfig } from "./system/ifconfig.ts";
import { ip } from "./system/ip.ts";
import { IpsecDaemon } from "./system/ipsec.ts";
import { Iptables } from "./system/iptables.ts";
import { type InterfaceOptions, Kernel } from "./system/kernel.ts";
import { nslookup } from "./system/nslookup.ts";
import { type Program, Shell } from "./system/shell.ts";
import { Uci } from "./uci/store.ts";

export interface MachineOptions {
  readonly interfaces: readonly InterfaceOptions[];
  readonly defaultRoute?: { readonly interface: string; readonly gateway: string } | undefined;
  readonly username: string;
  readonly password: string;
  readonly quirks: boolean;
  readonly auth: "required" | "stock";
  readonly sessionIdleMs: number;
  readonly secure: boolean;
  readonly dns: Readonly<Record<string, string>>;
  readonly resolveRetryMs: number;
  /** Files, keyed by their path without the leading slash. If the text is undefined, a default file is removed. */
  readonly files: Readonly<Record<string, string | undefined>>;
  readonly outputs: Readonly<Record<string, string>>;
  readonly collections: readonly OpenCollection[];
  readonly clock: Clock;
}

/** State of a simulated CNF, which is lost when the CNF restarts. */
export class Machine {
  readonly cnf: Cnf;
  readonly kernel: Kernel;
  readonly shell: Shell;
  readonly uci: Uci;
  readonly iptables = new Iptables();
  readonly ipsec: IpsecDaemon;
  readonly sessions: Sessions;
  readonly router: Router;
  /** Response from OpenWrt's message bus (ubus) to `mwan3 status`, or undefined if the bus does not respond. */
  mwan3Status: unknown;

  constructor(options: MachineOptions) {
    const { interfaces, quirks, clock, resolveRetryMs, secure, username, password, sessionIdleMs: idleMs } = options;
    this.kernel = new Kernel({ interfaces, defaultRoute: options.defaultRoute ?? defaultRouteOf(interfaces) });
    const { uci, files } = splitFiles(options);
    this.uci = new Uci(uci);
    this.ipsec = new IpsecDaemon(this.uci);
    this.shell = new Shell(this.kernel, this.#programs(options));
    for (const [command, output] of Object.entries(options.outputs)) this.shell.outputs.set(command, output);
    this.mwan3Status = { interfaces: statusOfInterfaces(this.uci) };
    const mwan3Status = (): unknown => this.mwan3Status;
    this.cnf = { quirks, uci: this.uci, shell: this.shell, files, clock, resolveRetryMs, mwan3Status };
    this.sessions = new Sessions({ username, password, idleMs, secure, clock });
    this.router = new Router({
      cnf: this.cnf,
      collections: options.collections,
      sessions: this.sessions,
      isProtected: options.auth === "required",
    });
    const { iptables } = this;
    const firewall = new Firewall({ uci: this.uci, iptables, onStarted: () => this.#restoreRules() });
    for (const name of ["/etc/init.d/firewall", "fw3"]) this.shell.install(name, firewall.program);
  }

  #programs({ dns }: MachineOptions): ReadonlyMap<string, Program> {
    return new Map<string, Program>([
      ["ip", ip],
      ["ifconfig", ifconfig],
      ["iptables", this.iptables.program],
      ["nslookup", nslookup(dns)],
      ["ipsec", this.ipsec.program],
      ["/etc/init.d/ipsec", this.ipsec.service],
    ]);
  }

  /**
   * Adds the rules of other resources again after the firewall has started, which removes all rules except its own. In the reference CNF,
   * only the service forwardings return, through the file /etc/sdewan.user.
   */
  #restoreRules(): void {
    for (const row of readRows(this.cnf))
      if (row.kind === "0") this.iptables.program(forwardingCommand(row, ["-I", "PREROUTING"]), this.shell);
    if (this.cnf.quirks) return;
    for (const definition of [networkFirewallRules, nats]) {
      const objects = new Collection(definition, this.cnf).list()[definition.collection] ?? [];
      for (const object of objects)
        for (const argv of definition.commands?.(object, "add", this.cnf) ?? []) this.#restoreRule(argv);
    }
  }

  /** Runs a command that adds a rule. If the chain is shorter than it was, the rule is added to the end. */
  #restoreRule(argv: readonly string[]): void {
    const operation = argv.indexOf("-I");
    if (this.shell.run(argv).exitCode === 0 || operation < 0) return;
    this.shell.run([...argv.slice(0, operation), "-A", ...argv.slice(operation + 1).toSpliced(1, 1)]);
  }
}

function defaultRouteOf(interfaces: readonly InterfaceOptions[]): MachineOptions["defaultRoute"] {
  const found = interfaces.find(({ name }) => name === podInterface) ?? interfaces[0];
  return found && { interface: found.name, gateway: found.ip.replace(/\d+$/, "1") };
}

function splitFiles({ interfaces, files }: MachineOptions): {
  uci: Record<string, string>;
  files: Map<string, string>;
} {
  const folder = "etc/config/";
  const usual = Object.entries(initialUci(interfaces)).map(([name, text]) => [folder + name, text] as const);
  const all = Object.entries({ ...Object.fromEntries(usual), ...files });
  const present = all.filter((entry): entry is [string, string] => entry[1] !== undefined);
  const isUci = ([path]: readonly [string, string]): boolean => path.startsWith(folder);
  return {
    uci: Object.fromEntries(present.filter(isUci).map(([path, text]) => [path.slice(folder.length), text])),
    files: new Map(present.filter((entry) => !isUci(entry))),
  };
}

function statusOfInterfaces(uci: Uci): Record<string, unknown> {
  const status = { status: "online", tracking: "disabled", enabled: true, running: true, up: true, track_ip: [] };
  return Object.fromEntries(uci.sections("mwan3", "interface").map(({ id }) => [id, status]));
}
