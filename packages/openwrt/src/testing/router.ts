import type { Cnf } from "./cnf.ts";
import type { Handler } from "./handler.ts";
import { badRequest, indexPage, json, loginPage, notOnThisServer, refusal, unknownPage } from "./replies.ts";
import type { CnfRequest } from "./request.ts";
import { Collection } from "./resources/collection.ts";
import { resourceDefinitions } from "./resources/definitions.ts";
import { Interfaces } from "./resources/interfaces.ts";
import { type OpenCollection, openCollection } from "./resources/open-collection.ts";
import { ServiceForwardings } from "./resources/service-forwardings.ts";
import { ServiceAction, ServiceList } from "./resources/services.ts";
import { type CnfResponse, LuaError, Refusal } from "./response.ts";
import type { Sessions } from "./session.ts";
import { Status } from "./status/status.ts";

const knownMethods = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"];
const help = { message: "sdewan restful API service v1" };

export interface RouterOptions {
  readonly cnf: Cnf;
  /** Collections in addition to those in the specification. */
  readonly collections: readonly OpenCollection[];
  readonly sessions: Sessions;
  /** True if the API requires a session. */
  readonly isProtected: boolean;
}

/** Passes requests to their handlers, as LuCI's menu does. */
export class Router {
  readonly #options: RouterOptions;
  readonly #handlers = new Map<string, Handler>();
  readonly #help = new Set<string>();
  readonly #collections: readonly (Collection | ServiceForwardings)[];

  constructor(options: RouterOptions) {
    this.#options = options;
    const { cnf } = options;
    const known = [
      ...resourceDefinitions.map((definition) => new Collection(definition, cnf)),
      new ServiceForwardings(cnf),
    ];
    const further = options.collections.filter(({ path }) => !known.some((each) => each.path === path));
    this.#collections = [...known, ...further.map((each) => new Collection(openCollection(each), cnf))];
    for (const collection of this.#collections) {
      this.#handlers.set(`sdewan/${collection.path}`, collection);
      this.#help.add(`sdewan/${collection.path.split("/")[0]}/v1`);
    }
    this.#help.add("sdewan/v1");
    this.#handlers.set("sdewan/v1/services", new ServiceList(cnf));
    this.#handlers.set("sdewan/v1/service", new ServiceAction(cnf));
    this.#handlers.set("sdewan/v1/status", new Status(cnf));
    this.#handlers.set("sdewan/v1/interfaces", new Interfaces(cnf));
  }

  /** Returns the response to a GET of every collection, keyed by path. */
  config(): Record<string, unknown> {
    return Object.fromEntries(this.#collections.map((collection) => [collection.path, collection.list()]));
  }

  async answer(request: CnfRequest): Promise<CnfResponse> {
    if (!knownMethods.includes(request.method)) return badRequest;
    const address = request.path.replace(/[?#].*/, "");
    const parts = split(address).map(decode);
    if (parts[0] !== "cgi-bin" || parts[1] !== "luci") return notOnThisServer(address);
    const page = parts.slice(2).join("/");
    if (page === "" && request.method === "POST") return this.#options.sessions.logIn(request);
    if (page === "admin/logout") return this.#options.sessions.logOut(request);
    if (this.#options.isProtected || page === "") {
      if (!this.#options.sessions.isValid(request)) return loginPage;
    }
    if (page === "") return indexPage;
    if (this.#help.has(page)) return json(200, help, this.#options.cnf);
    const handler = this.#handlerOf(parts.slice(2));
    if (!handler) return unknownPage;
    // Handlers get the path without decoding. In the reference CNF, this path includes the query.
    return this.#handle(handler, request, split(this.#options.cnf.quirks ? request.path : address));
  }

  #handlerOf(page: readonly string[]): Handler | undefined {
    const length = page[1] === "v1" ? 3 : 4;
    const path = page.slice(0, length).join("/");
    if (path === "sdewan/v1/services" && page.length > length) return undefined;
    return this.#handlers.get(path);
  }

  async #handle(handler: Handler, request: CnfRequest, parts: readonly string[]): Promise<CnfResponse> {
    const { cnf } = this.#options;
    try {
      return await handler.handle(request, parts);
    } catch (error) {
      if (error instanceof Refusal) return refusal(error.status, error.message, cnf);
      if (error instanceof LuaError && cnf.quirks)
        return { status: 500, contentType: "text/plain", body: error.message };
      throw error;
    }
  }
}

function split(path: string): string[] {
  return path.split("/").filter(Boolean);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
