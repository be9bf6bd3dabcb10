/** Thrown if a body is not valid JSON. The message is the same as that of LuCI's parser. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
}
