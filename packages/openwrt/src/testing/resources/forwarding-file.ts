import type { Cnf } from "../cnf.ts";

/** A line in the file that contains the service forwardings. */
export interface ForwardingRow {
  readonly name: string;
  readonly fullname: string;
  readonly port: string;
  readonly dport: string;
  readonly address: string;
  readonly kind: string;
}

const file = "etc/sdewan_svc.info";
const copy = "etc/sdewan_svc.up";

export function readRows(cnf: Pick<Cnf, "files">): ForwardingRow[] {
  const lines = (cnf.files.get(file) ?? "").split("\n").filter(Boolean);
  return lines.map((line) => {
    const [name = "", fullname = "", port = "", dport = "", address = "", kind = "0"] = line.split(" ");
    return { name, fullname, port, dport, address, kind };
  });
}

/** Writes the file with the service forwardings, and a copy of it. */
export function writeRows(cnf: Pick<Cnf, "files">, rows: readonly ForwardingRow[]): void {
  const lines = rows.map((row) => [row.name, row.fullname, row.port, row.dport, row.address, row.kind].join(" "));
  const text = lines.map((line) => `${line}\n`).join("");
  cnf.files.set(file, text);
  cnf.files.set(copy, text);
}

/** Returns the command that adds a forwarding or, with `-D`, removes it. */
export function forwardingCommand({ port, dport, address }: ForwardingRow, place: readonly string[]): string[] {
  const match = ["-p", "tcp", "--dport", port];
  return ["iptables", "-t", "nat", ...place, ...match, "-j", "DNAT", "--to-destination", `${address}:${dport}`];
}
