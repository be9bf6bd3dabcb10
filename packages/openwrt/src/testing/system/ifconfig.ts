import type { KernelInterface } from "./kernel.ts";
import { done, type Program } from "./shell.ts";

/** The commands `ifconfig`, `ifconfig -a`, `ifconfig <name>` and `ifconfig <name> up|down`. */
export const ifconfig: Program = (argv, { kernel }) => {
  const [, name, action] = argv;
  if (name === undefined) return { ...done, stdout: kernel.upInterfaces.map(print).join("") + loopback };
  if (name === "-a") return { ...done, stdout: kernel.interfaces.map(print).join("") + loopback };
  const found = kernel.interfaces.find((candidate) => candidate.name === name);
  if (!found)
    return { exitCode: 1, stdout: "", stderr: `${name}: error fetching interface information: Device not found` };
  if (action === undefined) return { ...done, stdout: print(found) };
  found.up = action === "up";
  return done;
};

const loopback =
  "lo        Link encap:Local Loopback\n          inet addr:127.0.0.1  Mask:255.0.0.0\n          UP LOOPBACK RUNNING\n\n";

function print({ name, ip, ip6, mac, up, receivedPackets, sentPackets }: KernelInterface): string {
  return [
    `${name.padEnd(9)} Link encap:Ethernet  HWaddr ${mac}  `,
    `          inet addr:${ip}  Mask:255.255.255.0`,
    ...(ip6 === undefined ? [] : [`          inet6 addr: ${ip6} Scope:Link`]),
    `          ${up ? "UP " : ""}BROADCAST ${up ? "RUNNING " : ""}MULTICAST  MTU:1400  Metric:1`,
    `          RX packets:${receivedPackets} errors:0 dropped:0 overruns:0 frame:0`,
    `          TX packets:${sentPackets} errors:0 dropped:0 overruns:0 carrier:0`,
    "\n",
  ].join("\n");
}
