import type { Cnf } from "../cnf.ts";
import { listedInterfaces } from "../interface-alias.ts";

/** Status of one network interface. */
export interface InterfaceStatus {
  readonly name: string;
  readonly status: "UP" | "DOWN";
  readonly ip_address?: readonly string[] | undefined;
  readonly ip6_address?: readonly string[] | undefined;
  readonly mac_address?: string | undefined;
  readonly received_packets?: string | undefined;
  readonly send_packets?: string | undefined;
}

/** Returns the status of every interface except `lo`, from the output of `ifconfig`. */
export function interfaceStatuses(cnf: Cnf, options: { readonly withDown?: boolean } = {}): InterfaceStatus[] {
  const listing = options.withDown ? cnf.shell.read("ifconfig", "-a") : cnf.shell.read("ifconfig");
  return listedInterfaces(listing).map((name) => parse(name, cnf.shell.read("ifconfig", name)));
}

function parse(name: string, output: string): InterfaceStatus {
  const addresses = [...output.matchAll(/inet addr:(\S+)/g)].map(([, address]) => address ?? "");
  const addresses6 = [...output.matchAll(/inet6 addr: (\S+)/g)].map(([, address]) => address ?? "");
  const single = (pattern: RegExp): string | undefined => pattern.exec(output)?.[1];
  const [mac, received, sent] = [/HWaddr (\S+)/, /RX packets:(\d+)/, /TX packets:(\d+)/].map(single);
  return {
    name,
    status: /\bUP\b/.test(output) ? "UP" : "DOWN",
    ...(addresses.length > 0 && { ip_address: addresses }),
    ...(addresses6.length > 0 && { ip6_address: addresses6 }),
    ...(mac !== undefined && { mac_address: mac }),
    ...(received !== undefined && { received_packets: received }),
    ...(sent !== undefined && { send_packets: sent }),
  };
}
