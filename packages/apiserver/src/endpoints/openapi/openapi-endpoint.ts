import type { ServedResource } from "../../registry/resource.ts";
import { type ForeignServers, nobody } from "../discovery/foreign-versions.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { sendEmpty, sendText } from "../responses/responses.ts";
import type { ResourceSet } from "../scope/resource-set.ts";
import { coreVersionsRoute, groupRoute, groupsRoute, issuerRoutes, versionRoute } from "./discovery-routes.ts";
import { openApiDocument, routesDocument } from "./document.ts";
import type { Json } from "./schema-models.ts";
import { isUnmodified, PublishedDocument, sendDocument, stampModified } from "./serve-content.ts";
import { SwaggerEndpoint } from "./swagger-endpoint.ts";

/** Inputs from which a document is built. The document is rebuilt when one of these inputs is replaced. */
interface Source {
  readonly resources: readonly ServedResource[];
  build(): Json;
}

interface Built {
  readonly of: readonly ServedResource[];
  readonly document: PublishedDocument;
}

const yearMs = 365 * 24 * 3_600_000;
const [configurationRoute, keysRoute] = issuerRoutes;

/** Serves `/openapi/v3` (an index, and a document for each group version) and `/openapi/v2`. @see kube-openapi pkg/handler3 */
export class OpenApiEndpoint {
  readonly #sets: readonly ResourceSet[];
  readonly #now: () => number;
  readonly #foreign: ForeignServers;
  readonly #swagger: SwaggerEndpoint;
  /**
   * Documents, keyed by path. A document is built on the first request, and cached until the served resources change.
   */
  readonly #documents = new Map<string, Built>();

  constructor(sets: readonly ResourceSet[], now: () => number, foreign: ForeignServers = nobody) {
    this.#sets = sets;
    this.#now = now;
    this.#foreign = foreign;
    this.#swagger = new SwaggerEndpoint(sets, now, foreign);
  }

  /** Handles a request for an OpenAPI document. Returns false if the path is not below `/openapi`. */
  handle(request: ApiRequest): boolean {
    if (this.#swagger.handle(request)) return true;
    const { path } = request.info;
    if (path === "/openapi/v3") return this.#sendIndex(request);
    if (!path.startsWith("/openapi/v3/")) return false;
    const name = path.slice("/openapi/v3/".length);
    const source = this.#sources().get(name);
    if (source) this.#send(request, this.#document(name, source));
    else sendEmpty(request, 404, { "Content-Length": 0 });
    return true;
  }

  #sendIndex(request: ApiRequest): boolean {
    const sources = [...this.#sources()].sort(([a], [b]) => (a < b ? -1 : 1));
    const documents = sources.map(([name, source]) => [name, this.#document(name, source)] as const);
    const foreign = this.#foreign.openApiPaths();
    const modifiedMs = foreign.size > 0 ? this.#now() : Math.max(...documents.map(([, { modifiedMs }]) => modifiedMs));
    stampModified(request, this.#now());
    if (isUnmodified(request, modifiedMs)) {
      sendEmpty(request, 304);
      return true;
    }
    const paths = documents.map(([name, { hash }]) => {
      return [name, { serverRelativeURL: `/openapi/v3/${name}?hash=${hash}` }] as [
        string,
        { serverRelativeURL: string },
      ];
    });
    for (const [name, serverRelativeURL] of foreign) paths.push([name, { serverRelativeURL }]);
    if (foreign.size > 0) paths.sort(([a], [b]) => (a < b ? -1 : 1));
    sendText(request, 200, JSON.stringify({ paths: Object.fromEntries(paths) }), "text/plain; charset=utf-8");
    return true;
  }

  #send(request: ApiRequest, document: PublishedDocument): void {
    const { response } = request;
    const asked = request.query.get("hash");
    response.setHeader("Vary", "Accept");
    if (asked !== null && asked !== document.hash) {
      response.setHeader("ETag", `"${document.hash}"`);
      const location = `${request.info.path}?hash=${document.hash}`;
      sendEmpty(request, 301, { "Content-Type": "application/json", Location: location, "Content-Length": 0 });
      return;
    }
    if (asked !== null) {
      response.setHeader("Cache-Control", "public, immutable");
      response.setHeader("Expires", new Date(this.#now() + yearMs).toUTCString().replace("GMT", "UTC"));
    }
    sendDocument(request, document, "v3");
  }

  #document(name: string, { resources, build }: Source): PublishedDocument {
    const known = this.#documents.get(name);
    if (known && sameItems(known.of, resources)) return known.document;
    const document = new PublishedDocument(build(), "v3", this.#now());
    this.#documents.set(name, { of: resources, document });
    return document;
  }

  /**
   * Returns the sources of all documents, keyed by path, such as `api/v1`, `apis/apps`, `apis/apps/v1` or `version`.
   */
  #sources(): Map<string, Source> {
    const fixed = (route: typeof versionRoute): Source => ({ resources: [], build: () => routesDocument([route]) });
    const sources = new Map<string, Source>([
      ["api", fixed(coreVersionsRoute)],
      ["apis", fixed(groupsRoute)],
      ["version", fixed(versionRoute)],
    ]);
    if (configurationRoute) sources.set(".well-known/openid-configuration", fixed(configurationRoute));
    if (keysRoute) sources.set("openid/v1/jwks", fixed(keysRoute));
    for (const { group, versions } of this.#sets.flatMap((set) => set.groups())) {
      const isBuiltin = versions.some(({ resources }) => resources.some(({ origin }) => origin === "builtin"));
      if (isBuiltin && group !== "") sources.set(`apis/${group}`, fixed(groupRoute(group)));
      for (const { version, resources } of versions) {
        const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
        sources.set(path, { resources, build: () => openApiDocument({ group, version }, resources) });
      }
    }
    return sources;
  }
}

const sameItems = (a: readonly ServedResource[], b: readonly ServedResource[]): boolean =>
  a.length === b.length && a.every((item, index) => item === b[index]);
