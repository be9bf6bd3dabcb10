import { posix } from "node:path";
import { LuaError } from "./answer.ts";
import type { Cnf } from "./cnf.ts";

/** Returns the interface for `#default`, `#<ip>` or a plain name, whether it exists or not; undefined if none matches. */
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

/** Returns the interface with exactly this address, if it is up and not `lo`. Queries every interface. */
export function interfaceWithAddress(address: string, cnf: Cnf): string | undefined {
  const names = listedInterfaces(cnf.shell.read("ifconfig"));
  return names.filter((name) => cnf.shell.read("ip", "a", "show", "dev", name).includes(`inet ${address}/`)).at(0);
}

/** Returns the names in the output of `ifconfig`, without `lo`. */
export function listedInterfaces(output: string): string[] {
  const names = [...output.matchAll(/^(\S+)/gm)].map(([, name]) => name ?? "");
  return names.filter((name) => name !== "lo");
}

/**
 * Reports whether an interface of that name exists. The reference opens a file in a folder with that name, so it also accepts names such
 * as `./eth0`.
 */
export function interfaceExists(name: string, { quirks, shell }: Cnf): boolean {
  const [, normal = ""] =
    /^\/sys\/class\/net\/([^/]+)\/operstate$/.exec(posix.join("/sys/class/net", name, "operstate")) ?? [];
  return shell.kernel.hasInterface(quirks ? normal : name);
}
