/**
 * Parses the address of a server: `:8080` (all interfaces), `127.0.0.1:8080`, `[::1]:0`. Returns `undefined` for `"0"` and the empty
 * string, which disable the server.
 *
 * @throws {Error} for any other text
 */
export function parseBindAddress(address: string): { readonly host?: string; readonly port: number } | undefined {
  if (address === "0" || address === "") return undefined;
  const match = /^(?:\[(.+)\]|([^:[\]]*)):(\d{1,5})$/.exec(address);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) throw new Error(`cannot listen on "${address}": use "host:port", ":port" or "0"`);
  const host = match[1] ?? match[2];
  return host ? { host, port } : { port };
}
