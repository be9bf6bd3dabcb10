/** What the spec of a CniInterface says. */
export interface InterfaceSpec {
  readonly name: string;
  readonly status?: string;
  readonly cnfSelector: { readonly matchLabels: Readonly<Record<string, string>> };
}

/** The names of objects, of which several want one interface. */
export const interfaceObjects = ["uplink", "spare-link", "way-in"] as const;

/** No alias that resources have for an interface comes to `net2`, so that one may be down; `net9` there is none. */
const interfaceNames = ["net2", "net2", "net2", "eth0", "net9"] as const;
const wishes = ["up", "down", "Down", "", undefined] as const;

/** How users write it. @param matchLabels those of the pods that it is about */
export function interfaceSpec(variant: number, matchLabels: Readonly<Record<string, string>>): InterfaceSpec {
  const status = wishes[variant % wishes.length];
  const name = interfaceNames[Math.floor(variant / wishes.length) % interfaceNames.length] ?? "net2";
  return { name, ...(status === undefined ? {} : { status }), cnfSelector: { matchLabels } };
}

/** All variants there are. */
export const interfaceVariants: number = interfaceNames.length * wishes.length;

/** The state that is wanted of the interface, if one is. */
export function wishOf({ status = "" }: InterfaceSpec): "UP" | "DOWN" | undefined {
  if (status.toLowerCase() === "up") return "UP";
  return status.toLowerCase() === "down" ? "DOWN" : undefined;
}
