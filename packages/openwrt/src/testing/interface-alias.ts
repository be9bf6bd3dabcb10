import { posix } from "node:path";
import type { Cnf } from "./cnf.ts";
import { LuaError } from "./response.ts";

/**
 * Returns the interface to which `#default`, `#<ip>` or a plain name refers, or undefined if none matches. A plain name is returned even if
 * the interface does not exist.
 */
export function resolveInterface(value: unknown, cnf: Cnf): string | undefined {
  if (value === undefined) throw new LuaError("utils", 28, "bad argument #1 to 'find' (string expected, got nil)");
  const name = String(value);
  if (!name.startsWith("#")) return name;
  return name === "#default" ? defaultInterface(cnf) : interfaceWithAddress(name.slice(1), cnf);
}

/** Returns the interface of the default route. */
export function defaultInterface(cnf: Cnf): string | undefined {
  return /^default .*?dev (\S+)/m.exec(cnf.shell.read("ip", "route"))?.[1];
}

/**
 * Returns the interface with exactly the given address, if the interface is up and is not `lo`. Queries every
 * interface.
 */
export function interfaceWithAddress(address: string, cnf: Cnf): string | undefined {
  const names = listedInterfaces(cnf.shell.read("ifconfig"));
  return names.filter((name) => cnf.shell.read("ip", "a", "show", "dev", name).includes(`inet ${address}/`)).at(0);
}

/** Returns the names of the interfaces in the output of `ifconfig`, except `lo`. */
export function listedInterfaces(output: string): string[] {
  const names = [...output.matchAll(/^(\S+)/gm)].map(([, name]) => name ?? "");
  return names.filter((name) => name !== "lo");
}

/**
 * Reports whether an interface exists. The reference CNF uses the name as a file path, so it also accepts names such as
 * `./eth0`.
 */
export function interfaceExists(name: string, { quirks, shell }: Cnf): boolean {
  const [, normal = ""] =
    /^\/sys\/class\/net\/([^/]+)\/operstate$/.exec(posix.join("/sys/class/net", name, "operstate")) ?? [];
  return shell.kernel.hasInterface(quirks ? normal : name);
}
