import type { Answer } from "./answer.ts";
import type { CnfRequest } from "./request.ts";

/** Answers the requests below one address. */
export interface Handler {
  /** @param parts of the address, `cgi-bin` first. Throws a `Refusal` or, as the reference, a `LuaError` */
  handle(request: CnfRequest, parts: readonly string[]): Answer | Promise<Answer>;
}
