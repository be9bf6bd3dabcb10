import type { Cnf } from "../cnf.ts";
import type { Handler } from "../handler.ts";
import { writeJson } from "../json/write.ts";
import { json } from "../replies.ts";
import type { CnfRequest } from "../request.ts";
import { type CnfResponse, Refusal } from "../response.ts";
import { conntrackStatus } from "./conntrack.ts";
import { interfaceStatuses } from "./interface.ts";
import { ipsecStatus, leakedRemotes } from "./ipsec.ts";
import { routeStatus } from "./route.ts";
import { ruleStatus } from "./rule.ts";

/** Modules of the status, in the order of the output. */
const modules: ReadonlyMap<string, (cnf: Cnf) => unknown> = new Map<string, (cnf: Cnf) => unknown>([
  ["conntrack", conntrackStatus],
  ["interface", (cnf) => interfaceStatuses(cnf)],
  ["ipsec", ipsecStatus],
  ["route", routeStatus],
  ["rule", ruleStatus],
  ["wan", (cnf) => cnf.mwan3Status()],
]);

/** Handles requests for the status of the running system. */
export class Status implements Handler {
  readonly #cnf: Cnf;

  constructor(cnf: Cnf) {
    this.#cnf = cnf;
  }

  handle({ method }: CnfRequest, parts: readonly string[]): CnfResponse {
    if (method !== "GET") throw new Refusal(405, "Method Not Allowed");
    const name = parts[5];
    if (parts.length > 6) throw new Refusal(400, "Bad request URI");
    if (name === undefined)
      return this.#answer(
        [...modules.keys()].map((module) => this.#one(module)),
        true,
      );
    if (!modules.has(name)) throw new Refusal(400, `Bad request URI: ${name} is not supported`);
    return this.#answer(this.#one(name), name === "ipsec");
  }

  #one(name: string): { name: string; status: unknown } {
    return { name, status: modules.get(name)?.(this.#cnf) };
  }

  #answer(value: unknown, hasIpsec: boolean): CnfResponse {
    const answer = json(200, value, this.#cnf);
    if (!this.#cnf.quirks || !hasIpsec) return answer;
    const leaked = leakedRemotes(this.#cnf).map((remote) => `${writeJson(remote, { luci: true })}\n`);
    return { ...answer, body: answer.body + leaked.join("") };
  }
}
