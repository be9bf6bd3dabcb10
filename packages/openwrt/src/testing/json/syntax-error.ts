/** Thrown if a body is not valid JSON. The message is the same as LuCI's parser's. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}
