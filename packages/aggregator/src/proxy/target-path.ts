/** Written as they are in the path of a URL. */
const plain = /[^A-Za-z0-9\-._~$&+,/:;=@]/gu;

/**
 * Path and query to ask an extension server with. The path is that which authorization went by, escaped anew: what is allowed here is what
 * is asked there.
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
