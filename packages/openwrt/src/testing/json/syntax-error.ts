/** A body that cannot be read. The message is the reader's own. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}
