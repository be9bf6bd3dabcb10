import { readBody } from "../body.ts";
import type { Cnf } from "../cnf.ts";
import { checkFields } from "../field-table.ts";
import type { Handler } from "../handler.ts";
import { json, success } from "../replies.ts";
import type { CnfRequest } from "../request.ts";
import { type CnfResponse, LuaError, Refusal } from "../response.ts";
import { type InterfaceStatus, interfaceStatuses } from "../status/interface.ts";
import { oneOf } from "../validators.ts";

const fields = [{ name: "action", mandatory: true, check: oneOf("up", "down"), text: "wrong action" }];

/** Lists interfaces, and brings them up and down. The reference CNF does not list interfaces that are down. */
export class Interfaces implements Handler {
  readonly #cnf: Cnf;

  constructor(cnf: Cnf) {
    this.#cnf = cnf;
  }

  handle(request: CnfRequest, parts: readonly string[]): CnfResponse {
    const { method } = request;
    if (method !== "GET" && method !== "PUT") throw new Refusal(405, "Method Not Allowed");
    const name = parts[5];
    if (parts.length > 6 || (method === "PUT" && name === undefined)) throw new Refusal(400, "Bad request URI");
    if (method === "GET")
      return json(200, name === undefined ? { interfaces: this.#all() } : this.#find(name), this.#cnf);
    return this.#put(request, name ?? "");
  }

  #put(request: CnfRequest, name: string): CnfResponse {
    const { action } = checkFields(fields, readBody(request, this.#cnf.quirks), this.#cnf);
    if (action === undefined) {
      throw new LuaError("interface", 90, "attempt to concatenate local 'action' (a nil value)");
    }
    if (!this.#cnf.quirks) this.#find(name);
    this.#cnf.shell.run(["ifconfig", name, String(action)]);
    return success;
  }

  #find(name: string): InterfaceStatus {
    const found = this.#all().find((candidate) => candidate.name === name);
    if (!found) throw new Refusal(404, `Cannot find interface[${name}]`);
    return found;
  }

  #all(): InterfaceStatus[] {
    return interfaceStatuses(this.#cnf, { withDown: !this.#cnf.quirks });
  }
}
