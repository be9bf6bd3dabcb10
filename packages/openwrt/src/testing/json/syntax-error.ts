/** A body that is not valid JSON. The message is the parser's own. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}
