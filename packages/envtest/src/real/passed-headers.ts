/** Matches headers that apply to only one connection, and headers that only a front proxy may set. */
export const notPassedOn = /^(:.*|connection|keep-alive|transfer-encoding|upgrade|http2-settings|host|x-remote-.*)$/;

/**
 * Returns the headers to forward. Repeated headers are preserved, because each `Impersonate-Group` header adds a group.
 */
export function repeatedHeaders(rawHeaders: readonly string[]): Record<string, string[]> {
  const headers = new Map<string, string[]>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? "").toLowerCase();
    if (!notPassedOn.test(name)) headers.set(name, [...(headers.get(name) ?? []), rawHeaders[i + 1] ?? ""]);
  }
  return Object.fromEntries(headers);
}
