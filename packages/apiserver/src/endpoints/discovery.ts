import { createHash } from "node:crypto";
import { stringifyJson } from "@kubewright/apimachinery";
import { parseAccept } from "../codec/media-type.ts";
import type { ServedResource, SubresourceInfo } from "../registry/resource.ts";
import type { ApiRequest } from "./api-request.ts";
import type { ResourceSet, ServedGroup } from "./resource-set.ts";
import { sendObject, sendText } from "./responses.ts";

const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** What is served, in both forms of discovery. @see apiserver pkg/endpoints/discovery */
export class DiscoveryEndpoints {
  readonly #sets: readonly ResourceSet[];
  readonly #address: () => string;
  readonly #documents = new Map<
    string,
    { readonly generation: string; readonly text: Buffer; readonly etag: string }
  >();

  /** @param sets in the order in which their groups are shown */
  constructor(sets: readonly ResourceSet[], address: () => string) {
    this.#sets = sets;
    this.#address = address;
  }

  /** Answers if the path is one of discovery's, else does nothing and says so. */
  handle(request: ApiRequest): boolean {
    const [prefix, first, second, third] = request.info.path.split("/").filter((part) => part !== "");
    if (request.method !== "GET" || third !== undefined) return false;
    if (prefix === "api") {
      if (first === undefined) return this.#root(request, "");
      return second === undefined && this.#resources(request, "", first);
    }
    if (prefix !== "apis") return false;
    if (first === undefined) return this.#root(request, "apis");
    return second === undefined ? this.#group(request, first) : this.#resources(request, first, second);
  }

  #root(request: ApiRequest, prefix: "" | "apis"): boolean {
    if (wantsAggregated(request)) this.#aggregated(request, prefix);
    else if (prefix === "") sendObject(request, 200, this.#coreVersions());
    else
      sendObject(request, 200, {
        kind: "APIGroupList",
        apiVersion: "v1",
        groups: this.#groups()
          .filter(({ group }) => group !== "")
          .map(legacyGroup),
      });
    return true;
  }

  #coreVersions(): unknown {
    const versions = this.#groups().find(({ group }) => group === "")?.versions ?? [];
    return {
      kind: "APIVersions",
      versions: versions.map(({ version }) => version),
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: this.#address() }],
    };
  }

  #group(request: ApiRequest, name: string): boolean {
    const group = this.#groups().find((candidate) => candidate.group === name);
    if (!group || name === "") return false;
    sendObject(request, 200, { kind: "APIGroup", apiVersion: "v1", ...legacyGroup(group) });
    return true;
  }

  #resources(request: ApiRequest, group: string, version: string): boolean {
    const found = this.#groups()
      .find((candidate) => candidate.group === group)
      ?.versions.find((candidate) => candidate.version === version);
    if (!found) return false;
    sendObject(request, 200, {
      kind: "APIResourceList",
      ...(group === "" ? {} : { apiVersion: "v1" }),
      groupVersion: group === "" ? version : `${group}/${version}`,
      resources: found.resources.flatMap(legacyResources),
    });
    return true;
  }

  #aggregated(request: ApiRequest, prefix: "" | "apis"): void {
    const { text, etag } = this.#aggregatedDocument(prefix);
    const { response } = request;
    response.setHeader("Vary", "Accept");
    response.setHeader("ETag", etag);
    response.setHeader("Cache-Control", "public");
    if (request.header("if-none-match") === etag) {
      response.writeHead(304);
      response.end();
      return;
    }
    sendText(request, 200, text, aggregatedType);
  }

  #aggregatedDocument(prefix: "" | "apis"): { readonly text: Buffer; readonly etag: string } {
    const generation = this.#sets.map((set) => set.generation).join();
    const known = this.#documents.get(prefix);
    if (known?.generation === generation) return known;
    const groups = this.#groups().filter(({ group }) => (group === "") === (prefix === ""));
    const document = {
      kind: "APIGroupDiscoveryList",
      apiVersion: "apidiscovery.k8s.io/v2",
      metadata: {},
      items: groups.map(aggregatedGroup),
    };
    const text = Buffer.from(`${stringifyJson(document)}\n`);
    const etag = `"${createHash("sha512").update(text).digest("hex").toUpperCase()}"`;
    const made = { generation, text, etag };
    this.#documents.set(prefix, made);
    return made;
  }

  #groups(): ServedGroup[] {
    return this.#sets.flatMap((set) => set.groups());
  }
}

function wantsAggregated(request: ApiRequest): boolean {
  for (const { type, parameters } of parseAccept(request.header("accept") ?? "")) {
    if (type !== "application/json" && type !== "*/*") continue;
    if (parameters.as === undefined) return false;
    if (parameters.as === "APIGroupDiscoveryList" && parameters.v === "v2" && parameters.g === "apidiscovery.k8s.io")
      return true;
  }
  return false;
}

function legacyGroup({ group, versions }: ServedGroup): Record<string, unknown> {
  const shown = versions.map(({ version }) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: shown, preferredVersion: shown[0] };
}

function legacyResources(resource: ServedResource): unknown[] {
  const { singular, shortNames, categories, kind, verbs, storagePrefix } = resource;
  const namespaced = resource.scope === "Namespaced";
  return [
    {
      name: resource.resource,
      singularName: singular,
      namespaced,
      kind,
      verbs,
      ...(shortNames.length > 0 ? { shortNames } : {}),
      ...(categories.length > 0 ? { categories } : {}),
      ...(verbs.includes("list")
        ? { storageVersionHash: versionHash(`${storagePrefix}${resource.version}/${kind}`) }
        : {}),
    },
    ...resource.subresources.map((subresource) => ({
      name: `${resource.resource}/${subresource.name}`,
      singularName: "",
      namespaced,
      ...(isForeign(resource, subresource) ? { group: subresource.kind.group, version: subresource.kind.version } : {}),
      kind: subresource.kind.kind,
      verbs: subresource.verbs,
    })),
  ];
}

const versionHash = (text: string): string =>
  createHash("sha256").update(text).digest().subarray(0, 8).toString("base64");

const isForeign = (resource: ServedResource, { kind }: SubresourceInfo): boolean =>
  kind.group !== resource.group || kind.version !== resource.version;

function aggregatedGroup({ group, versions }: ServedGroup): unknown {
  return {
    metadata: group === "" ? {} : { name: group },
    versions: versions.map(({ version, resources }) => ({
      version,
      resources: resources.map(aggregatedResource),
      freshness: "Current",
    })),
  };
}

function aggregatedResource(resource: ServedResource): unknown {
  const { shortNames, categories, subresources, group, version, kind } = resource;
  return {
    resource: resource.resource,
    responseKind: { group, version, kind },
    scope: resource.scope,
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...(shortNames.length > 0 ? { shortNames } : {}),
    ...(categories.length > 0 ? { categories } : {}),
    ...(subresources.length > 0
      ? {
          subresources: subresources.map((subresource) => ({
            subresource: subresource.name,
            responseKind: subresource.kind,
            verbs: subresource.verbs,
          })),
        }
      : {}),
  };
}
