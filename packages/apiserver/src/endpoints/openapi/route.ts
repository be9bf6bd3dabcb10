import type { GroupVersionKind } from "@kubewright/apimachinery";
import type { ResourceVerb } from "../../registry/resource.ts";
import type { Parameter } from "./query-parameters.ts";

export type Method = "get" | "put" | "post" | "delete" | "options" | "head" | "patch";

/** HTTP methods, in the order in which documents list them. */
export const methods: readonly Method[] = ["get", "put", "post", "delete", "options", "head", "patch"];

export type Action = Exclude<ResourceVerb, "create" | "update"> | "post" | "put" | "watchlist" | "connect";

/** An operation on a path, in a form that does not depend on the OpenAPI version. */
export interface Route {
  readonly path: string;
  readonly method: Method;
  readonly operationId: string;
  readonly tag: string;
  readonly action?: Action | undefined;
  readonly kind?: GroupVersionKind | undefined;
  /** Parameters in the path and in the query, sorted by name. */
  readonly parameters: readonly Parameter[];
  /** The model of the request's body. */
  readonly body?: { readonly model: string; readonly required: boolean } | undefined;
  /** Models of responses, keyed by status code; `undefined` for text. */
  readonly answers: Readonly<Record<number, string | undefined>>;
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
}

/** Groups routes by path, and sorts the paths. */
export function routesByPath(routes: readonly Route[]): [path: string, routes: readonly Route[]][] {
  const paths = new Map<string, Route[]>();
  for (const route of routes) {
    const known = paths.get(route.path);
    if (known) known.push(route);
    else paths.set(route.path, [route]);
  }
  for (const each of paths.values()) each.sort((a, b) => methods.indexOf(a.method) - methods.indexOf(b.method));
  return [...paths].sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Returns the parameters that all operations on a path have in common. Documents list them only once, in the path item.
 */
export function sharedParameters(routes: readonly Route[]): readonly Parameter[] {
  const [first, ...others] = routes;
  const isShared = (parameter: Parameter): boolean =>
    others.every(({ parameters }) => parameters.some((each) => isSame(each, parameter)));
  return first?.parameters.filter(isShared) ?? [];
}

export const isSame = (a: Parameter, b: Parameter): boolean => a.name === b.name && a.in === b.in && a.type === b.type;
