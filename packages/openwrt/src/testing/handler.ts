import type { CnfRequest } from "./request.ts";
import type { CnfResponse } from "./response.ts";

/** Handles the requests for one path and everything below it. */
export interface Handler {
  /**
   * Handles a request.
   *
   * @param parts segments of the address, starting with `cgi-bin`
   * @throws {Refusal} or, with quirks, a `LuaError` if the request is refused
   */
  handle(request: CnfRequest, parts: readonly string[]): CnfResponse | Promise<CnfResponse>;
}
