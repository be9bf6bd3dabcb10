/**
 * Where a server listens: `:8080` (every interface), `127.0.0.1:8080`, `[::1]:0`. `undefined` for `"0"` and the empty string,
 * which switch it off.
 *
 * @throws {Error} if it is none of these
 */
export function parseBindAddress(address: string): { readonly host?: string; readonly port: number } | undefined {
  if (address === "0" || address === "") return undefined;
  const match = /^(?:\[(.+)\]|([^:[\]]*)):(\d{1,5})$/.exec(address);
  const port = Number(match?.[3]);
  if (!match || port > 65_535) throw new Error(`cannot listen on "${address}": want "host:port", ":port" or "0"`);
  const host = match[1] ?? match[2];
  return host ? { host, port } : { port };
}
