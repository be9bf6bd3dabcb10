import { listOf } from "../resources/sections.ts";
import type { Uci } from "../uci/store.ts";
import { done, type Program } from "./shell.ts";

/** The IPsec daemon of a simulated CNF. */
export class IpsecDaemon {
  readonly #uci: Uci;
  #isRunning = false;
  /** True if the peers do not respond, so that no tunnel comes up. */
  isPeerDown = false;

  constructor(uci: Uci) {
    this.#uci = uci;
  }

  /** The command `/etc/init.d/ipsec <action>`. */
  readonly service: Program = (argv) => {
    this.#isRunning = argv[1] !== "stop";
    return done;
  };

  /** The command `ipsec status`. */
  readonly program: Program = () => {
    if (!this.#isRunning) return done;
    const tunnels = this.isPeerDown ? [] : this.#started();
    const states = tunnels.map(([name, subnets]) => `   ${name}{1}:   ${subnets}\n`);
    return { ...done, stdout: `Security Associations (${tunnels.length} up, 0 connecting):\n${states.join("")}` };
  };

  /** Returns the connections that start automatically, each as the pair of its networks. */
  #started(): [string, string][] {
    return this.#uci.sections("ipsec", "remote").flatMap((remote) =>
      (["tunnel", "transport"] as const).flatMap((type) =>
        listOf(remote.options.get(type)).flatMap((name): [string, string][] => {
          const section = this.#uci
            .sections("ipsec", type)
            .find(({ id, options }) => id === name || options.get("name") === name);
          if (section?.options.get("mode") !== "start") return [];
          const [local, other] = ["local_subnet", "remote_subnet"].map(
            (side) => section.options.get(side) ?? "dynamic",
          );
          return [[`${remote.id}-${name}`, `${local} === ${other}`]];
        }),
      ),
    );
  }
}
