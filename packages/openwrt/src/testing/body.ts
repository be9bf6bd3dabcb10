import { JsonSyntaxError } from "./json/syntax-error.ts";
import { type Json, readJson } from "./json/tokener.ts";
import { type CnfRequest, header } from "./request.ts";
import { LuaError, Refusal } from "./response.ts";

/** Maximum length of a body that LuCI accepts, in bytes. */
const maxBytes = 100 * 1024;

/**
 * Returns the JSON value in the body of a request.
 *
 * @throws {Refusal} 400 if the body is not JSON
 * @throws {LuaError} if quirks are enabled and LuCI has already consumed the body
 */
export function readBody(request: CnfRequest, quirks: boolean): Json {
  const text = quirks ? keptByLuci(request) : (request.body ?? Buffer.alloc(0)).toString("utf8");
  if (text === undefined) {
    throw new LuaError("utils", 776, "bad argument #1 to 'parse' (string expected, got nil)");
  }
  if (!quirks && text.length > maxBytes) throw new Refusal(400, "Body parse error: too large");
  try {
    return readJson(text, { bytes: quirks });
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new Refusal(400, `Body parse error: ${error.message}`);
    throw error;
  }
}

/**
 * Returns the body that LuCI leaves for the handler. LuCI itself reads forms, and treats a body without a length as absent or, for a POST,
 * as empty.
 */
function keptByLuci(request: CnfRequest): string | undefined {
  if (/^(application\/x-www-form-urlencoded|multipart\/form-data)/.test(header(request, "content-type")))
    return undefined;
  if (request.isChunked || request.body === undefined) return request.method === "POST" ? "" : undefined;
  return request.body.subarray(0, maxBytes).toString("latin1");
}
