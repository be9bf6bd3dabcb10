/** Matches each character that must be escaped in a URL's path. */
const plain = /[^A-Za-z0-9\-._~$&+,/:;=@]/gu;

/**
 * Returns the path and query to send to an extension server. The authorized path is escaped anew, so that the extension
 * server executes exactly the request that was authorized.
 *
 * @see net/url URL.EscapedPath, Values.Encode
 */
export function targetPath(path: string, query: URLSearchParams): string {
  const sorted = new URLSearchParams(query);
  sorted.sort();
  const text = sorted.toString();
  return `${path.replace(plain, (char) => encodeCharacter(char))}${text === "" ? "" : `?${text}`}`;
}

const encodeCharacter = (char: string): string =>
  [...Buffer.from(char, "utf8")].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
