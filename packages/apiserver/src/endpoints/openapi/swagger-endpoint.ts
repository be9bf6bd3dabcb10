import type { ForeignServers } from "../discovery/foreign-versions.ts";
import type { ApiRequest } from "../request/api-request.ts";
import type { ResourceSet } from "../scope/resource-set.ts";
import { PublishedDocument, sendDocument } from "./serve-content.ts";
import { swaggerDocument } from "./swagger-document.ts";

/** Serves `/openapi/v2`: one document that describes everything that is served. @see kube-openapi pkg/handler */
export class SwaggerEndpoint {
  readonly #sets: readonly ResourceSet[];
  readonly #now: () => number;
  readonly #foreign: ForeignServers;
  #document: PublishedDocument | undefined;
  #generation = "";

  constructor(sets: readonly ResourceSet[], now: () => number, foreign: ForeignServers) {
    this.#sets = sets;
    this.#now = now;
    this.#foreign = foreign;
  }

  /** Handles a request for `/openapi/v2`. Returns false for every other path. */
  handle(request: ApiRequest): boolean {
    if (request.info.path !== "/openapi/v2") return false;
    request.response.setHeader("Vary", ["Accept-Encoding", "Accept"]);
    sendDocument(request, this.#current(), "v2");
    return true;
  }

  /** Returns the current document, which is rebuilt on the first request after a change. */
  #current(): PublishedDocument {
    const generation = [...this.#sets, this.#foreign].map((each) => each.generation).join();
    if (!this.#document || this.#generation !== generation) {
      this.#document = new PublishedDocument(
        this.#foreign.withSwagger(swaggerDocument(this.#sets.flatMap((set) => set.groups()))),
        "v2",
        this.#now(),
      );
      this.#generation = generation;
    }
    return this.#document;
  }
}
