import { readBody } from "../body.ts";
import type { Cnf } from "../cnf.ts";
import { anyFields, checkFields, type FieldRecord } from "../field-table.ts";
import type { Handler } from "../handler.ts";
import { json, success } from "../replies.ts";
import type { CnfRequest } from "../request.ts";
import type { CnfResponse } from "../response.ts";
import { LuaError, Refusal } from "../response.ts";
import { AtomicCrud, type Crud } from "./crud.ts";
import type { ResourceDefinition } from "./definition.ts";
import { ReferenceCrud } from "./reference-crud.ts";

const partsOfCollection = 6;

/** Handles the requests for a collection and its items. */
export class Collection implements Handler {
  readonly path: string;
  readonly #definition: ResourceDefinition;
  readonly #cnf: Cnf;
  readonly #crud: Crud;

  constructor(definition: ResourceDefinition, cnf: Cnf) {
    this.path = `${definition.module}/v1/${definition.collection}`;
    this.#definition = definition;
    this.#cnf = cnf;
    this.#crud = cnf.quirks ? new ReferenceCrud(definition, cnf) : new AtomicCrud(definition, cnf);
  }

  /** Returns the response to a GET of the collection. */
  list(): Record<string, FieldRecord[]> {
    return { [this.#definition.collection]: this.#crud.list() };
  }

  handle(request: CnfRequest, parts: readonly string[]): CnfResponse {
    if (this.#definition.ownsConfig) this.#cnf.uci.ensure(this.#definition.config);
    const { method } = request;
    if (!["GET", "POST", "PUT", "DELETE"].includes(method)) throw new Refusal(405, "Method Not Allowed");
    const name = parts[partsOfCollection];
    const hasName = parts.length === partsOfCollection + 1;
    const isCollection = parts.length === partsOfCollection;
    if (method === "GET" ? !hasName && !isCollection : hasName === (method === "POST")) {
      throw new Refusal(400, "Bad request URI");
    }
    if (parts.length > partsOfCollection + 1) throw new Refusal(400, "Bad request URI");
    if (parts[partsOfCollection - 1] !== this.#definition.collection) {
      throw new LuaError("utils", 302, "attempt to index field '?' (a nil value)");
    }
    return name === undefined ? this.#collection(request) : this.#item(request, name);
  }

  #collection(request: CnfRequest): CnfResponse {
    return request.method === "GET" ? json(200, this.list(), this.#cnf) : this.#create(request);
  }

  #item(request: CnfRequest, name: string): CnfResponse {
    if (request.method === "PUT") return this.#update(request, name);
    if (request.method === "DELETE") {
      this.#crud.delete(name);
      return success;
    }
    const found = this.#crud.get(name);
    if (!found) throw new Refusal(404, `Cannot find ${this.#definition.type}[${name}]`);
    return json(200, found, this.#cnf);
  }

  #create(request: CnfRequest): CnfResponse {
    const source = readBody(request, this.#cnf.quirks);
    if (source === null && this.#cnf.quirks) return { status: 200, body: "" };
    if (typeof source !== "number" && typeof source !== "boolean") refuseWithoutName(source);
    const record = this.#check(source);
    return { ...json(201, this.#crud.create(record), this.#cnf), reason: "" };
  }

  #update(request: CnfRequest, name: string): CnfResponse {
    const source = readBody(request, this.#cnf.quirks);
    if (source === null && this.#cnf.quirks) return { status: 200, body: "" };
    const named = this.#cnf.quirks || typeof source !== "object" ? source : { ...source, name };
    const record = { ...this.#check(named), name };
    return json(200, this.#crud.update(record), this.#cnf);
  }

  #check(source: unknown): FieldRecord {
    const { fields, takesAnyField } = this.#definition;
    const record = { ...(takesAnyField ? anyFields(source) : {}), ...checkFields(fields, source, this.#cnf) };
    this.#definition.check?.(record, this.#cnf);
    return record;
  }
}

function refuseWithoutName(source: unknown): void {
  const name = typeof source === "object" && source !== null && "name" in source ? source.name : undefined;
  if (typeof name !== "string" || name.trim() === "") throw new Refusal(400, "Field[name] checked failed: required");
}
