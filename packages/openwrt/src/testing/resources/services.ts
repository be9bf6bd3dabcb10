import { readBody } from "../body.ts";
import type { Cnf } from "../cnf.ts";
import { checkFields } from "../field-table.ts";
import type { Handler } from "../handler.ts";
import { json, success } from "../replies.ts";
import type { CnfRequest } from "../request.ts";
import { type CnfResponse, LuaError, Refusal } from "../response.ts";
import { oneOf } from "../validators.ts";

const serviceNames: readonly string[] = ["mwan3", "firewall", "ipsec"];

/** Lists the services. */
export class ServiceList implements Handler {
  readonly #cnf: Cnf;

  constructor(cnf: Cnf) {
    this.#cnf = cnf;
  }

  handle({ method }: CnfRequest): CnfResponse {
    if (method !== "GET") throw new Refusal(405, "Method Not Allowed");
    return json(200, { services: serviceNames }, this.#cnf);
  }
}

const fields = [
  { name: "action", mandatory: true, check: oneOf("start", "stop", "restart", "reload"), text: "wrong action" },
];

/** Starts, stops, restarts and reloads services. */
export class ServiceAction implements Handler {
  readonly #cnf: Cnf;

  constructor(cnf: Cnf) {
    this.#cnf = cnf;
  }

  handle(request: CnfRequest, parts: readonly string[]): CnfResponse {
    if (request.method !== "PUT") throw new Refusal(405, "Method Not Allowed");
    const service = parts[5] ?? "";
    if (parts.length !== 6 || !serviceNames.includes(service)) throw new Refusal(400, "Bad request URI");
    const { action } = checkFields(fields, readBody(request, this.#cnf.quirks), this.#cnf);
    if (action === undefined) {
      throw new LuaError("service", 74, "attempt to concatenate local 'action' (a nil value)");
    }
    const { exitCode, stderr } = this.#cnf.shell.run(commandFor(service, String(action)));
    if (exitCode !== 0 && !this.#cnf.quirks) {
      throw new Refusal(500, `${action} of ${service} failed with exit status ${exitCode}: ${stderr}`);
    }
    return success;
  }
}

function commandFor(service: string, action: string): string[] {
  if (action !== "reload") return [`/etc/init.d/${service}`, action];
  return service === "firewall" ? ["fw3", "reload"] : [`/etc/init.d/${service}`, "restart"];
}
