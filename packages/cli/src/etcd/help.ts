import { etcdFlags } from "./flag-table.ts";

/** Printed after an error in the command line. */
export const etcdUsage = `Usage:

  etcd [flags]
    Start the stand-in for etcd.

  etcd --version
    Show the version.

  etcd -h | --help
    Show the flags.
`;

const effective = new Set([
  "cert-file",
  "key-file",
  "listen-client-http-urls",
  "listen-client-urls",
  "listen-metrics-urls",
]);

/** Formats the list of flags as etcd does. */
export function etcdHelp(): string {
  const lines: string[] = [];
  let section = "";
  for (const { name, type, section: its, default: value, allowed } of etcdFlags.values()) {
    if (its !== section) {
      section = its;
      lines.push("", `${section}:`);
    }
    lines.push(`  --${name} '${value ?? (type === "bool" ? "false" : "")}'`);
    const note = effective.has(name) ? "" : "; accepted, but has no effect";
    lines.push(`    ${allowed ? allowed.join(", ") : type}${note}`);
  }
  return `${etcdUsage}\n${lines.join("\n")}\n`;
}
