import { readBody } from "../body.ts";
import type { Cnf } from "../cnf.ts";
import type { Handler } from "../handler.ts";
import { writeJson } from "../json/write.ts";
import { luaNumber } from "../lua-number.ts";
import { json, refusal, success } from "../replies.ts";
import type { CnfRequest } from "../request.ts";
import { type CnfResponse, LuaError, Refusal } from "../response.ts";
import { type ForwardingRow, forwardingCommand, readRows, writeRows } from "./forwarding-file.ts";

const tries = 6;

/** Services in the cluster that clients reach through the CNF. Stored in a text file. */
export class ServiceForwardings implements Handler {
  readonly path = "service/v1/services";
  readonly #cnf: Cnf;

  constructor(cnf: Cnf) {
    this.#cnf = cnf;
  }

  list(): { services: object[] } {
    return { services: readRows(this.#cnf).map(shown) };
  }

  handle(request: CnfRequest, parts: readonly string[]): CnfResponse | Promise<CnfResponse> {
    const { method } = request;
    const name = parts[6];
    if (!["GET", "POST", "DELETE"].includes(method)) throw new Refusal(405, "Method Not Allowed");
    if (parts.length > 7 || (method === "DELETE" && name === undefined)) throw new Refusal(400, "Bad request URI");
    if (method === "POST") return this.#create(request, name);
    if (method === "DELETE") return this.#delete(name ?? "");
    if (name === undefined) return json(200, this.list(), this.#cnf);
    const found = readRows(this.#cnf).find((row) => row.name === name);
    if (!found) throw new Refusal(404, `Cannot find service[${name}]`);
    return json(200, shown(found), this.#cnf);
  }

  async #create(request: CnfRequest, pathName: string | undefined): Promise<CnfResponse> {
    const { quirks } = this.#cnf;
    if (pathName !== undefined && !quirks) throw new Refusal(400, "Bad request URI");
    const source = readBody(request, quirks);
    const wanted = new Map(Object.entries(typeof source === "object" && source !== null ? source : {}));
    try {
      await this.#add(wanted);
    } catch (error) {
      if (!(error instanceof Refusal) || !quirks) throw error;
      // The reference CNF continues after its error, and writes the object after the error message.
      const answer = refusal(error.status, error.message, this.#cnf);
      return { ...answer, body: answer.body + writeJson(source, { luci: true }) };
    }
    return json(200, source, this.#cnf);
  }

  async #add(wanted: ReadonlyMap<string, unknown>): Promise<void> {
    const { quirks } = this.#cnf;
    const [name, fullname, port, dport] = ["name", "fullname", "port", "dport"].map((field) => wanted.get(field));
    if (![port, dport].every(isPort)) throw new Refusal(416, "Invalid Port Range");
    const isTaken = readRows(this.#cnf).some((row) => row.name === name || (!quirks && row.port === port));
    if (isTaken) throw new Refusal(409, "Duplicated Service Configuration");
    if (!quirks) requireWord("name", name);
    if (!quirks) requireWord("fullname", fullname);
    if (fullname === undefined) {
      throw new LuaError("svc_rest", 48, "attempt to concatenate field 'fullname' (a nil value)");
    }
    const address = await this.#resolve(String(fullname));
    if (name === undefined) throw new LuaError("svc_rest", 64, "bad argument #1 to 'write' (string expected, got nil)");
    const [first, second] = [String(port), String(dport)];
    const row = { name: String(name), fullname: String(fullname), port: first, dport: second, address, kind: "0" };
    writeRows(this.#cnf, [...readRows(this.#cnf), row]);
    this.#cnf.shell.run(forwardingCommand(row, ["-I", "PREROUTING", "2"]));
  }

  async #resolve(fullname: string): Promise<string> {
    for (let attempt = 0; attempt < tries; attempt++) {
      const address = /^Address: (\S+)/m.exec(this.#cnf.shell.read("nslookup", fullname))?.[1];
      if (address !== undefined) return address;
      this.#cnf.shell.run(["sleep", "5"]);
      if (this.#cnf.resolveRetryMs > 0) await this.#cnf.clock.sleep(this.#cnf.resolveRetryMs);
    }
    throw new Refusal(408, "Timeout: waiting for service ready...");
  }

  #delete(name: string): CnfResponse {
    const { quirks, files, shell } = this.#cnf;
    if (quirks && !files.has("etc/sdewan_svc.up")) {
      files.set("etc/sdewan_svc.info", "");
      throw new LuaError("svc_rest", 86, "attempt to index local 'up_file' (a nil value)");
    }
    const rows = readRows(this.#cnf);
    const gone = rows.filter((row) => row.name === name);
    if (gone.length === 0 && !quirks) throw new Refusal(404, `service ${name} is not defined`);
    for (const row of gone) shell.run(forwardingCommand(row, ["-D", "PREROUTING"]));
    writeRows(
      this.#cnf,
      rows.filter((row) => row.name !== name),
    );
    return quirks ? { status: 200, body: "" } : success;
  }
}

function isPort(value: unknown): boolean {
  const number = typeof value === "string" ? luaNumber(value) : Number.NaN;
  return Number.isInteger(number) && number > 0 && number < 65_535;
}

function requireWord(field: string, value: unknown): void {
  if (typeof value !== "string" || !/^[\w.-]+$/.test(value)) {
    throw new Refusal(400, `Field[${field}] checked failed: ${value === undefined ? "required" : `invalid ${field}`}`);
  }
}

function shown({ name, fullname, port, dport }: ForwardingRow): object {
  return { name, fullname, port, dport };
}
