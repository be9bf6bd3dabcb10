import type { Cnf } from "../cnf.ts";
import { listOf } from "../resources/sections.ts";
import { lines } from "./conntrack.ts";

/** Returns how many of the configured IPsec tunnels are up. */
export function ipsecStatus(cnf: Cnf): object {
  const configured = cnf.uci
    .sections("ipsec", "remote")
    .flatMap(({ options }) => [...listOf(options.get("tunnel")), ...listOf(options.get("transport"))]).length;
  let isComplete = true;
  const details = lines(cnf.shell.read("ipsec", "status")).flatMap((line): object[] => {
    const [, up, connecting] = /\((\d+) up, (\d+) connecting\)/.exec(line) ?? [];
    if (up !== undefined && connecting !== undefined) {
      isComplete &&= Number(up) + Number(connecting) >= configured;
      return [{ up, connecting }];
    }
    const connection = /(\S+ === \S+)/.exec(line)?.[1];
    return connection === undefined ? [] : [{ connection }];
  });
  return { InitConnection: isComplete ? "success" : "fail", details };
}

/** Returns the remotes that the reference CNF appends to its response. They include secrets. */
export function leakedRemotes({ uci }: Cnf): object[] {
  return uci.sections("ipsec", "remote").map((section) => ({
    ".name": section.id,
    ".type": section.type,
    ".anonymous": section.anonymous,
    ".index": uci.indexOf("ipsec", section),
    ...Object.fromEntries(section.options),
  }));
}
