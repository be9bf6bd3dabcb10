import type { GroupVersionKind } from "@kubewright/apimachinery";
import {
  gvkOfResource,
  type ResourceVerb,
  type ServedResource,
  type SubresourceInfo,
} from "../../registry/resource.ts";
import { capitalized, groupVersionInNames, tagOf } from "./operation-names.ts";
import { optionsOf, type Parameter, parametersOf, pathParameter, sortedByName } from "./query-parameters.ts";
import { type Action, type Method, methods, type Route } from "./route.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const patchTypes = [
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];
const text = ["application/json", "application/yaml"];
const protobuf = "application/vnd.kubernetes.protobuf";
const any = ["*/*"];

/** The names of the models for a kind, its list, and the requests and responses of its subresources. */
export interface KindModels {
  readonly object: string;
  readonly list: string;
  readonly ofSubresource: (subresource: SubresourceInfo) => string;
}

/** An operation for a verb: its method, name and query parameters. */
interface Form {
  readonly verb: ResourceVerb;
  readonly method: Method;
  readonly action: Action;
  readonly word: string;
  readonly parameters: readonly Parameter[];
}

const onCollection: readonly Form[] = [
  { verb: "list", method: "get", action: "list", word: "list", parameters: parametersOf.list },
  { verb: "create", method: "post", action: "post", word: "create", parameters: parametersOf.write },
  {
    verb: "deletecollection",
    method: "delete",
    action: "deletecollection",
    word: "delete",
    parameters: parametersOf.deleteCollection,
  },
];
const onObject: readonly Form[] = [
  { verb: "get", method: "get", action: "get", word: "read", parameters: [] },
  { verb: "update", method: "put", action: "put", word: "replace", parameters: parametersOf.write },
  { verb: "delete", method: "delete", action: "delete", word: "delete", parameters: parametersOf.deletion },
  { verb: "patch", method: "patch", action: "patch", word: "patch", parameters: parametersOf.patch },
];
const create = onCollection.slice(1, 2);

/**
 * Returns all operations on a resource.
 *
 * @see apiserver pkg/endpoints installer.go, apiextensions-apiserver openapi/builder
 */
export function resourceRoutes(resource: ServedResource, models: KindModels): Route[] {
  return new ResourceRoutes(resource, models).all();
}

class ResourceRoutes {
  readonly #resource: ServedResource;
  readonly #models: KindModels;
  readonly #isCustom: boolean;
  readonly #isNamespaced: boolean;
  readonly #root: string;
  readonly #routes: Route[] = [];

  constructor(resource: ServedResource, models: KindModels) {
    const { group, version } = resource;
    this.#resource = resource;
    this.#models = models;
    this.#isCustom = resource.origin === "custom";
    this.#isNamespaced = resource.scope === "Namespaced";
    this.#root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  }

  all(): Route[] {
    const { verbs, resource, subresources } = this.#resource;
    const kind = gvkOfResource(this.#resource);
    const place = this.#isNamespaced ? `namespaces/{namespace}/${resource}` : resource;
    const watches = verbs.includes("watch") && !this.#isCustom;
    for (const form of onCollection) if (verbs.includes(form.verb)) this.#add(place, form, kind, this.#models.object);
    for (const form of onObject)
      if (verbs.includes(form.verb)) this.#add(`${place}/{name}`, form, kind, this.#models.object);
    if (this.#isNamespaced && verbs.includes("list")) this.#addForAllNamespaces(resource, kind, "list");
    if (watches) {
      this.#addWatch(`watch/${place}`, kind, "watchlist");
      this.#addWatch(`watch/${place}/{name}`, kind, "watch");
      if (this.#isNamespaced) this.#addForAllNamespaces(`watch/${resource}`, kind, "watchlist");
    }
    for (const subresource of subresources) this.#addSubresource(`${place}/{name}/${subresource.name}`, subresource);
    return this.#routes;
  }

  #addSubresource(place: string, subresource: SubresourceInfo): void {
    const { name, verbs, kind } = subresource;
    if (name === "log") this.#addLog(place, kind);
    else if (kind.kind.endsWith("Options")) this.#addConnect(place, subresource);
    else {
      // upstream uses a custom resource's own kind, even for its subresource `scale`
      const shown = this.#isCustom ? gvkOfResource(this.#resource) : kind;
      const model = this.#models.ofSubresource(subresource);
      for (const form of [...create, ...onObject])
        if (verbs.includes(form.verb)) this.#add(place, form, shown, model, capitalized(name));
    }
  }

  #add(place: string, form: Form, kind: GroupVersionKind, model: string, suffix = ""): void {
    const { action, word, method } = form;
    const own = this.#isCustom ? parametersOfCustom(form) : form.parameters;
    const body = this.#bodyOf(action, model);
    this.#routes.push({
      ...this.#route(place, method, action, kind, [...own, ...parametersOf.pretty]),
      operationId: this.#operationId(word, `${action === "deletecollection" ? "Collection" : ""}`, suffix),
      ...(body ? { body } : {}),
      answers: this.#answersOf(action, model),
      consumes: action === "patch" ? this.#patchTypes() : this.#isCustom ? text : any,
      produces: action === "list" ? this.#streamed() : this.#types(),
    });
  }

  #addWatch(place: string, kind: GroupVersionKind, action: "watch" | "watchlist"): void {
    this.#routes.push({
      ...this.#route(place, "get", action, kind, [...parametersOf.list, ...parametersOf.pretty]),
      operationId: this.#operationId("watch", "", action === "watchlist" ? "List" : ""),
      answers: { 200: `${meta}.WatchEvent`, 401: undefined },
      consumes: any,
      produces: this.#streamed(),
    });
  }

  #addForAllNamespaces(place: string, kind: GroupVersionKind, action: "list" | "watchlist"): void {
    const isWatch = action === "watchlist";
    const { group, version } = this.#resource;
    const word = isWatch ? "watch" : "list";
    this.#routes.push({
      ...this.#route(place, "get", action, kind, [...parametersOf.list, ...parametersOf.pretty]),
      operationId: `${word}${groupVersionInNames(group, version)}${this.#resource.kind}${isWatch ? "List" : ""}ForAllNamespaces`,
      answers: { 200: isWatch ? `${meta}.WatchEvent` : this.#models.list, 401: undefined },
      consumes: this.#isCustom ? text : any,
      produces: this.#streamed(),
    });
  }

  #addLog(place: string, kind: GroupVersionKind): void {
    this.#routes.push({
      ...this.#route(place, "get", "get", kind, [...optionsOf("PodLogOptions"), ...parametersOf.pretty]),
      operationId: this.#operationId("read", "", "Log"),
      answers: { 200: "", 401: undefined },
      consumes: any,
      produces: ["text/plain", ...this.#types()],
    });
  }

  /** Adds the operations of a connecting subresource, which supports every method. Proxies also have operations for paths below them. */
  #addConnect(place: string, { name, kind }: SubresourceInfo): void {
    const isProxy = name === "proxy";
    const offered = isProxy ? methods : (["get", "post"] as const);
    for (const suffix of isProxy ? ["", "WithPath"] : [""])
      for (const method of offered) {
        const at = suffix === "" ? place : `${place}/{path}`;
        this.#routes.push({
          ...this.#route(at, method, "connect", kind, optionsOf(kind.kind)),
          operationId: this.#operationId("connect", capitalized(method), `${capitalized(name)}${suffix}`),
          answers: { 200: "", 401: undefined },
          consumes: any,
          produces: any,
        });
      }
  }

  #route(place: string, method: Method, action: Action, kind: GroupVersionKind, query: readonly Parameter[]) {
    const { group, version } = this.#resource;
    const inPath = [...place.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => pathParameter(name));
    return {
      path: `${this.#root}/${place}`,
      method,
      action,
      tag: tagOf(group, version),
      kind: { group: kind.group, version: kind.version, kind: kind.kind },
      parameters: sortedByName([...inPath, ...query]),
    };
  }

  #operationId(word: string, between: string, suffix: string): string {
    const { group, version, kind } = this.#resource;
    const scope = this.#isNamespaced ? "Namespaced" : "";
    return `${word}${groupVersionInNames(group, version)}${between}${scope}${kind}${suffix}`;
  }

  #bodyOf(action: Action, model: string): Route["body"] {
    if (action === "post" || action === "put") return { model, required: true };
    if (action === "patch") return { model: `${meta}.Patch`, required: true };
    if (action === "delete" || (action === "deletecollection" && !this.#isCustom))
      return { model: `${meta}.DeleteOptions`, required: false };
    return undefined;
  }

  #answersOf(action: Action, model: string): Route["answers"] {
    const status = `${meta}.Status`;
    switch (action) {
      case "list":
        return { 200: this.#models.list, 401: undefined };
      case "post":
        return { 200: model, 201: model, 202: model, 401: undefined };
      case "put":
        return { 200: model, 201: model, 401: undefined };
      case "patch":
        return this.#isCustom ? { 200: model, 401: undefined } : { 200: model, 201: model, 401: undefined };
      case "delete": {
        const { strategy, kind } = this.#resource;
        // deleting a namespace also returns the object, but the documents do not show this
        const isObject = strategy.returnDeletedObject && !this.#isCustom && kind !== "Namespace";
        const deleted = isObject ? model : status;
        return { 200: deleted, 202: deleted, 401: undefined };
      }
      case "deletecollection":
        return { 200: status, 401: undefined };
      default:
        return { 200: model, 401: undefined };
    }
  }

  #patchTypes(): readonly string[] {
    return this.#isCustom ? patchTypes.filter((type) => !type.includes("strategic")) : patchTypes;
  }

  #types(): readonly string[] {
    return this.#isCustom ? text : [...text, protobuf];
  }

  #streamed(): readonly string[] {
    return this.#isCustom ? text : [...text, protobuf, "application/json;stream=watch", `${protobuf};stream=watch`];
  }
}

/**
 * Returns the parameters of a custom resource's operation. Custom resources list all options of the verb; built-in resources list only
 * the options that their handlers read.
 */
function parametersOfCustom({ action, parameters }: Form): readonly Parameter[] {
  if (action === "get") return parametersOf.get;
  return action === "deletecollection" ? parametersOf.list : parameters;
}
