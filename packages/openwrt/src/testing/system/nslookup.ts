import { done, type Program } from "./shell.ts";

/**
 * Returns a resolver for the given names. Other names resolve to an address derived from the name, unless they contain
 * `missing`.
 */
export function nslookup(dns: Readonly<Record<string, string>>): Program {
  return (argv) => {
    const name = argv[1] ?? "";
    const address = dns[name] ?? (name.includes("missing") ? "NXDOMAIN" : madeUp(name));
    const found = `Name:\t${name}\nAddress: ${address}\n`;
    const stdout = address === "NXDOMAIN" ? `** server can't find ${name}: NXDOMAIN\n` : found;
    return { ...done, stdout: `Server:\t\t10.96.0.10\n\n${stdout}` };
  };
}

function madeUp(name: string): string {
  let hash = 0;
  for (const char of name) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) >>> 0;
  return `10.96.${(hash >>> 8) & 255}.${(hash & 253) + 1}`;
}
