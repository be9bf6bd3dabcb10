/** An IPsec connection, as a resource wants it. */
export interface WantedConnection {
  readonly name: string;
  /** `start`: the CNF brings it up by itself; `add`: it waits for a peer; `route`: for traffic. */
  readonly mode: string;
  /** The networks at its ends; empty where the resource does not say them. */
  readonly localSubnet: string;
  readonly remoteSubnet: string;
}

/** The connections in a spec of an IpsecHost or IpsecSite, whatever else that may be. */
export function wantedConnections(spec: unknown): readonly WantedConnection[] {
  return connectionsIn(spec).map((connection): WantedConnection => {
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

/** Those that are to stand at any time. The others may be down. */
export const startedConnections = (spec: unknown): readonly WantedConnection[] =>
  wantedConnections(spec).filter(({ mode }) => mode === "start");

/** All connections in a spec, whatever they are. */
export function connectionsIn(spec: unknown): readonly unknown[] {
  if (typeof spec !== "object" || spec === null || !("connections" in spec)) return [];
  return Array.isArray(spec.connections) ? spec.connections : [];
}
