import type { InterfaceOptions } from "./system/kernel.ts";

/** Name of the interface that every pod has. All other interfaces belong to attached networks. */
export const podInterface = "eth0";

/** Returns the UCI configurations created by a CNF's start script: a section for each attached network. */
export function initialUci(interfaces: readonly InterfaceOptions[]): Record<string, string> {
  const attached = interfaces.map(({ name }) => name).filter((name) => name !== podInterface);
  return {
    network: config(...attached.map((name) => section("interface", name, { ifname: name, proto: "static" }))),
    mwan3: config(
      section("globals", "globals", { mmx_mask: "0x3F00", local_source: "lan" }),
      ...attached.map((name) => section("interface", name, { enabled: "1", family: "ipv4" })),
    ),
    firewall: config(
      section("defaults", undefined, { syn_flood: "1", input: "ACCEPT", output: "ACCEPT", forward: "ACCEPT" }),
      section("include", undefined, { path: "/etc/firewall.user" }),
      section("include", undefined, { path: "/etc/sdewan.user" }),
    ),
    ipsec: config(section("ipsec", undefined, { debug: "1" })),
  };
}

function config(...sections: readonly string[]): string {
  return `${sections.join("")}\n`;
}

function section(type: string, name: string | undefined, options: Readonly<Record<string, string>>): string {
  const lines = Object.entries(options).map(([option, value]) => `\toption ${option} '${value}'\n`);
  return `\nconfig ${type}${name === undefined ? "" : ` '${name}'`}\n${lines.join("")}`;
}
