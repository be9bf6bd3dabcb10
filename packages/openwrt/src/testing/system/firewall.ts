import { podInterface } from "../initial-config.ts";
import type { Uci } from "../uci/store.ts";
import type { Iptables } from "./iptables.ts";
import { done, type Program } from "./shell.ts";

export interface FirewallOptions {
  readonly uci: Uci;
  readonly iptables: Iptables;
  /** Called after the firewall has removed all rules and written its own. */
  readonly onStarted: () => void;
}

const mark = '-m comment --comment "!fw3"';
const marked = /--comment "!fw3/;

/**
 * The firewall service (`fw3`). When started, it writes its rules into the kernel's chains; zones that are changed
 * later are written at the next start or reload.
 *
 * - `stop` and `restart` remove all rules, including those of other programs.
 * - `reload` removes only the firewall's own rules and appends the new ones, so that the rules of other programs come
 *   first.
 * - `start` does nothing while the firewall is running.
 *
 * @see openwrt/firewall3 main.c
 */
export class Firewall {
  readonly #options: FirewallOptions;
  #isRunning = false;

  constructor(options: FirewallOptions) {
    this.#options = options;
    this.#start();
  }

  /** The commands `/etc/init.d/firewall <action>` and `fw3 <action>`. */
  readonly program: Program = ([, action]) => {
    if (action === "stop" || action === "restart") this.#flush();
    if (action === "reload" && this.#isRunning) this.#reload();
    else if (action !== "stop") this.#start();
    return done;
  };

  #flush(): void {
    this.#options.iptables.remove();
    this.#isRunning = false;
  }

  #reload(): void {
    this.#options.iptables.remove(marked);
    this.#write();
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#write();
    // The file /etc/sdewan.user, which the configuration includes. A reload does not run it again.
    this.#options.iptables.append("nat", "POSTROUTING", [`-o ${podInterface} -j MASQUERADE`]);
    this.#options.onStarted();
  }

  #write(): void {
    const { iptables, uci } = this.#options;
    const defaults = uci.sections("firewall", "defaults")[0]?.options;
    const established = `-m conntrack --ctstate RELATED,ESTABLISHED ${mark} -j ACCEPT`;
    const custom = (name: string): string => `-m comment --comment "!fw3: Custom ${name} rule chain" -j ${name}_rule`;
    const guard = defaults?.get("syn_flood") === "1" ? [`-p tcp -m tcp --syn ${mark} -j syn_flood`] : [];
    const last = (chain: string): string[] => (defaults?.get(chain) === "REJECT" ? [`${mark} -j reject`] : []);
    const jumps = (option: string, part: string): string[] =>
      this.#devices().map(([zone, device]) => `${option} ${device} ${mark} -j zone_${zone}_${part}`);
    const input = [`-i lo ${mark} -j ACCEPT`, custom("input"), established, ...guard];
    iptables.append("filter", "INPUT", [...input, ...jumps("-i", "input"), ...last("input")]);
    const forward = [custom("forwarding"), established];
    iptables.append("filter", "FORWARD", [...forward, ...jumps("-i", "forward"), ...last("forward")]);
    iptables.append("nat", "PREROUTING", [custom("prerouting"), ...jumps("-i", "prerouting")]);
    iptables.append("nat", "POSTROUTING", [custom("postrouting"), ...jumps("-o", "postrouting")]);
  }

  /** Returns the interfaces of all zones, in the order of the configuration file. */
  #devices(): readonly (readonly [zone: string, device: string])[] {
    return this.#options.uci
      .sections("firewall", "zone")
      .flatMap(({ options }) =>
        [options.get("network") ?? []].flat().map((device) => [String(options.get("name")), String(device)] as const),
      );
  }
}
