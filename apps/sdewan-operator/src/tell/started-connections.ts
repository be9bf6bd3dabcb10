/** An IPsec connection that the CNF brings up by itself. */
export interface StartedConnection {
  /** The networks at its ends; empty where the resource does not say them. */
  readonly localSubnet: string;
  readonly remoteSubnet: string;
}

/**
 * Of what a spec of an IpsecHost or IpsecSite has, the connections that are to stand at any time. Those that wait for a peer
 * (`mode` `add`) or for traffic (`route`) may be down.
 */
export function startedConnections(spec: unknown): readonly StartedConnection[] {
  return connectionsIn(spec).flatMap((connection): StartedConnection[] => {
    const fields: Readonly<Record<string, unknown>> = { ...(typeof connection === "object" ? connection : {}) };
    const text = (name: string): string => (typeof fields[name] === "string" ? fields[name].trim() : "");
    return text("mode") === "start" ? [{ localSubnet: text("local_subnet"), remoteSubnet: text("remote_subnet") }] : [];
  });
}

/** All connections in a spec, whatever they are. */
export function connectionsIn(spec: unknown): readonly unknown[] {
  if (typeof spec !== "object" || spec === null || !("connections" in spec)) return [];
  return Array.isArray(spec.connections) ? spec.connections : [];
}
