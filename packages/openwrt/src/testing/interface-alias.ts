import { posix } from "node:path";
import { LuaError } from "./answer.ts";
import type { Cnf } from "./cnf.ts";

/** The interface that `#default`, `#<ip>` or a plain name stands for, whether it exists or not; undefined when none fits. */
export function resolveInterface(value: unknown, cnf: Cnf): string | undefined {
  if (value === undefined) throw new LuaError("utils", 28, "bad argument #1 to 'find' (string expected, got nil)");
  const name = String(value);
  if (!name.startsWith("#")) return name;
  return name === "#default" ? defaultInterface(cnf) : interfaceWithAddress(name.slice(1), cnf);
}

/** The interface of the default route. */
export function defaultInterface(cnf: Cnf): string | undefined {
  return /^default .*?dev (\S+)/m.exec(cnf.shell.read("ip", "route"))?.[1];
}

/** The interface, other than `lo` and up, that has exactly this address. Asks every one. */
export function interfaceWithAddress(address: string, cnf: Cnf): string | undefined {
  const names = listedInterfaces(cnf.shell.read("ifconfig"));
  return names.filter((name) => cnf.shell.read("ip", "a", "show", "dev", name).includes(`inet ${address}/`)).at(0);
}

/** The names in what `ifconfig` prints, without `lo`. */
export function listedInterfaces(output: string): string[] {
  const names = [...output.matchAll(/^(\S+)/gm)].map(([, name]) => name ?? "");
  return names.filter((name) => name !== "lo");
}

/** Whether there is an interface of that name. The reference opens a file below a folder of that name, so it takes detours for names too. */
export function interfaceExists(name: string, { quirks, shell }: Cnf): boolean {
  const [, normal = ""] =
    /^\/sys\/class\/net\/([^/]+)\/operstate$/.exec(posix.join("/sys/class/net", name, "operstate")) ?? [];
  return shell.kernel.hasInterface(quirks ? normal : name);
}
