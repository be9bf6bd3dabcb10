import type { Cnf } from "../cnf.ts";

/** Returns an entry for each TCP or UDP line in the output of `conntrack -L`. */
export function conntrackStatus(cnf: Cnf): object[] {
  return lines(cnf.shell.read("conntrack", "-L")).map(parse);
}

function parse(line: string): object {
  const protocol = /^(\S+)/.exec(line)?.[1];
  if (protocol !== "tcp" && protocol !== "udp") return {};
  const ends = [...line.matchAll(/src=(\S+) dst=(\S+) sport=(\d+) dport=(\d+)/g)];
  const [request, response] = ends.map(([, src, dst, sport, dport]) => ({
    src: `${src}:${sport}`,
    dst: `${dst}:${dport}`,
  }));
  const state = protocol === "tcp" ? / ([A-Z_]{3,}) src=/.exec(line)?.[1] : undefined;
  return { protocol, request, response, ...(state !== undefined && { state }) };
}

/** Returns the non-empty lines of a command's output. */
export function lines(output: string): string[] {
  return output.split("\n").filter(Boolean);
}
