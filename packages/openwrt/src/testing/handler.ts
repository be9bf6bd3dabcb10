import type { CnfAnswer } from "./answer.ts";
import type { CnfRequest } from "./request.ts";

/** Handles the requests below one path. */
export interface Handler {
  /**
   * @param parts segments of the address, starting with `cgi-bin`
   * @throws {Refusal} or, with quirks, a `LuaError`
   */
  handle(request: CnfRequest, parts: readonly string[]): CnfAnswer | Promise<CnfAnswer>;
}
