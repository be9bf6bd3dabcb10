/** The spec of a CniInterface. */
export interface InterfaceSpec {
  readonly name: string;
  readonly status?: string;
  readonly cnfSelector: { readonly matchLabels: Readonly<Record<string, string>> };
}

/** The names of objects, several of which switch the same interface. */
export const interfaceObjects = ["uplink", "spare-link", "way-in"] as const;

/** No interface alias in resources refers to `net2`, so it may be down. `net9` does not exist. */
const interfaceNames = ["net2", "net2", "net2", "eth0", "net9"] as const;
const wishes = ["up", "down", "Down", "", undefined] as const;

/**
 * Returns a spec as users write it.
 *
 * @param matchLabels labels of the selected pods
 */
export function interfaceSpec(variant: number, matchLabels: Readonly<Record<string, string>>): InterfaceSpec {
  const status = wishes[variant % wishes.length];
  const name = interfaceNames[Math.floor(variant / wishes.length) % interfaceNames.length] ?? "net2";
  return { name, ...(status === undefined ? {} : { status }), cnfSelector: { matchLabels } };
}

/** Number of variants. */
export const interfaceVariants: number = interfaceNames.length * wishes.length;

/** Returns the requested state of the interface, if any. */
export function wishOf({ status = "" }: InterfaceSpec): "UP" | "DOWN" | undefined {
  if (status.toLowerCase() === "up") return "UP";
  return status.toLowerCase() === "down" ? "DOWN" : undefined;
}
