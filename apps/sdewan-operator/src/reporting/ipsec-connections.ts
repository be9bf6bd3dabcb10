/** An IPsec connection in the spec of a resource. */
export interface IpsecConnection {
  readonly name: string;
  /**
   * Start mode of the connection. `start`: the CNF itself brings it up; `add`: the CNF waits for a peer; `route`: the CNF waits for
   * traffic.
   */
  readonly mode: string;
  /** The networks at both ends; empty if the resource does not define them. */
  readonly localSubnet: string;
  readonly remoteSubnet: string;
}

/** Returns the connections in the spec of an IpsecHost or IpsecSite. Ignores invalid values. */
export function connectionsOf(spec: unknown): readonly IpsecConnection[] {
  return connectionsIn(spec).map((connection): IpsecConnection => {
    const fields: Readonly<Record<string, unknown>> = { ...(typeof connection === "object" ? connection : {}) };
    const text = (name: string): string => (typeof fields[name] === "string" ? fields[name].trim() : "");
    return {
      name: text("name"),
      mode: text("mode"),
      localSubnet: text("local_subnet"),
      remoteSubnet: text("remote_subnet"),
    };
  });
}

/** Returns the connections that must always be up; all others may be down. */
export const startedConnections = (spec: unknown): readonly IpsecConnection[] =>
  connectionsOf(spec).filter(({ mode }) => mode === "start");

/** Returns all connections in a spec, without checking them. */
export function connectionsIn(spec: unknown): readonly unknown[] {
  if (typeof spec !== "object" || spec === null || !("connections" in spec)) return [];
  return Array.isArray(spec.connections) ? spec.connections : [];
}
