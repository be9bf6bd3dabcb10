import { destinationIn, type TracedCnf } from "./traced-cnf.ts";

/**
 * Returns the interface to which the field of an object refers: a name, `#default`, `#source` or `#` and an address. Empty for an empty
 * field. Undefined if it is not known.
 *
 * @param source the new source address, for `#source`
 */
export function interfaceOfAlias(cnf: TracedCnf, alias: string, source = ""): string | undefined {
  if (!alias.startsWith("#")) return alias;
  if (alias === "#default")
    return cnf.routes?.find(({ table, destination }) => table === "main" && destination.bits === 0)?.device;
  const address = destinationIn(alias === "#source" ? source : alias.slice(1));
  return address && cnf.interfaces.find(({ addresses }) => addresses.includes(address.address))?.name;
}
