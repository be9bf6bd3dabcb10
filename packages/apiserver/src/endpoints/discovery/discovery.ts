import { createHash } from "node:crypto";
import { stringifyJson } from "@kubewright/apimachinery";
import { aggregatedFormat, encode, type MediaType, negotiate } from "@kubewright/codec";
import type { ResourceInfo, ServedResource } from "../../registry/resource.ts";
import type { ApiRequest } from "../request/api-request.ts";
import { methodNotAllowed, sendHead, sendObject, sendText } from "../responses/responses.ts";
import type { ResourceSet, ServedGroup } from "../scope/resource-set.ts";
import { aggregatedGroup, legacyGroup, legacyResources } from "./discovery-documents.ts";
import { type ForeignServers, nobody } from "./foreign-versions.ts";
import { type ListedGroup, listedGroups } from "./listed-groups.ts";

const aggregatedParameters = "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Serves discovery documents in both formats, aggregated and legacy. @see apiserver pkg/endpoints/discovery */
export class DiscoveryEndpoints {
  readonly #sets: readonly ResourceSet[];
  readonly #address: () => string;
  readonly #foreign: ForeignServers;
  readonly #documents = new Map<
    string,
    { readonly generation: string; readonly text: Buffer; readonly etag: string; readonly document: unknown }
  >();

  /**
   * Creates the endpoints for several sets of resources.
   *
   * @param sets sets of resources, in the order in which discovery lists their groups
   */
  constructor(sets: readonly ResourceSet[], address: () => string, foreign: ForeignServers = nobody) {
    this.#sets = sets;
    this.#address = address;
    this.#foreign = foreign;
  }

  /** Handles a request for a discovery document. Returns false if the path is not a discovery path. */
  handle(request: ApiRequest): boolean {
    const [prefix, first, second, third] = request.info.path.split("/").filter((part) => part !== "");
    if (third !== undefined || (prefix !== "api" && prefix !== "apis")) return false;
    if (request.method !== "GET") {
      if (this.#isKnown(prefix, first, second)) throw methodNotAllowed();
      return false;
    }
    if (prefix === "api") {
      if (first === undefined) return this.#root(request, "");
      return second === undefined && this.#resources(request, "", first);
    }
    if (first === undefined) return this.#root(request, "apis");
    return second === undefined ? this.#group(request, first) : this.#resources(request, first, second);
  }

  #isKnown(prefix: "api" | "apis", first: string | undefined, second: string | undefined): boolean {
    if (first === undefined) return true;
    const [group, version] = prefix === "api" ? ["", first] : [first, second];
    const found = this.#listed().find((candidate) => candidate.group === group);
    return version === undefined
      ? found !== undefined
      : (found?.versions.some((each) => each.version === version) ?? false);
  }

  #root(request: ApiRequest, prefix: "" | "apis"): boolean {
    const aggregated = aggregatedFormat(request.header("accept"));
    if (aggregated) this.#aggregated(request, prefix, aggregated);
    else if (prefix === "") sendDocument(request, this.#coreVersions(), "routed document");
    else {
      const groups = this.#listed().filter(({ group }) => group !== "");
      const document = { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(legacyGroup) };
      sendDocument(request, document, "document");
    }
    return true;
  }

  #coreVersions(): unknown {
    const versions = this.#listed().find(({ group }) => group === "")?.versions ?? [];
    return {
      kind: "APIVersions",
      versions: versions.map(({ version }) => version),
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: this.#address() }],
    };
  }

  #group(request: ApiRequest, name: string): boolean {
    const group = this.#listed().find((candidate) => candidate.group === name);
    if (!group || name === "") return false;
    sendDocument(request, { kind: "APIGroup", apiVersion: "v1", ...legacyGroup(group) }, "document");
    return true;
  }

  #resources(request: ApiRequest, group: string, version: string): boolean {
    const found = this.#groups()
      .find((candidate) => candidate.group === group)
      ?.versions.find((candidate) => candidate.version === version);
    if (!found) return false;
    const document = {
      kind: "APIResourceList",
      ...(group === "" ? {} : { apiVersion: "v1" }),
      groupVersion: group === "" ? version : `${group}/${version}`,
      resources: found.resources.flatMap((resource) => legacyResources(resource, this.#storedAs(resource))),
    };
    const isCustom = found.resources.every(({ origin }) => origin === "custom");
    sendDocument(request, document, isCustom ? "document" : "routed document");
    return true;
  }

  /** Returns the description of a resource in its storage version. */
  #storedAs({ storagePrefix, storedVersion, ...resource }: ServedResource): ResourceInfo {
    if (storedVersion !== undefined) return { ...resource, version: storedVersion };
    const versions = this.#groups().flatMap((group) => group.versions.flatMap(({ resources }) => resources));
    return versions.find((each) => each.storagePrefix === storagePrefix && !each.converter) ?? resource;
  }

  #aggregated(request: ApiRequest, prefix: "" | "apis", format: MediaType): void {
    const { text, etag, document } = this.#aggregatedDocument(prefix);
    const { response } = request;
    response.setHeader("Vary", "Accept");
    response.setHeader("ETag", etag);
    response.setHeader("Cache-Control", "public");
    if (request.header("if-none-match") === etag) {
      sendHead(request, 304);
      response.end();
      return;
    }
    const body = format === "application/json" ? text : encode(document, format, false);
    sendText(request, 200, body, `${format};${aggregatedParameters}`);
  }

  #aggregatedDocument(prefix: "" | "apis"): {
    readonly text: Buffer;
    readonly etag: string;
    readonly document: unknown;
  } {
    const generation = [...this.#sets, this.#foreign].map((each) => each.generation).join();
    const known = this.#documents.get(prefix);
    if (known?.generation === generation) return known;
    const groups = this.#listed().filter(({ group }) => (group === "") === (prefix === ""));
    const document = {
      kind: "APIGroupDiscoveryList",
      apiVersion: "apidiscovery.k8s.io/v2",
      metadata: {},
      items: groups.map(aggregatedGroup),
    };
    const text = Buffer.from(`${stringifyJson(document)}\n`);
    const etag = `"${createHash("sha512").update(text).digest("hex").toUpperCase()}"`;
    const made = { generation, text, etag, document };
    this.#documents.set(prefix, made);
    return made;
  }

  #groups(): ServedGroup[] {
    return this.#sets.flatMap((set) => set.groups());
  }

  #listed(): ListedGroup[] {
    return listedGroups(this.#groups(), this.#foreign);
  }
}

/** Sends a discovery document. @throws {StatusError} 406 if the client does not accept any of the supported formats */
function sendDocument(request: ApiRequest, document: unknown, offer: "document" | "routed document"): void {
  const { mediaType } = negotiate(request.header("accept"), offer);
  sendObject(request, 200, document, mediaType);
}
