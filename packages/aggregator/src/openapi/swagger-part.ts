import { isRecord, setOwnMember } from "@kubewright/apimachinery";
import type { ApiService } from "../service/api-service.ts";

type Json = Readonly<Record<string, unknown>>;

/** An OpenAPI v2 document or part of one. */
export interface Swagger {
  readonly paths: Json;
  readonly definitions: Json;
  readonly parameters: Json;
}

/**
 * Returns the part of an OpenAPI v2 document that describes one version: its paths, and everything to which these
 * refer.
 *
 * @throws {Error} if `document` is not an OpenAPI v2 document
 *
 * @see kube-openapi pkg/aggregator FilterSpecByPaths
 */
export function swaggerOf(document: unknown, { group, version }: Pick<ApiService, "group" | "version">): Swagger {
  if (!isRecord(document) || !isRecord(document.paths)) throw new Error("the response is not an OpenAPI v2 document");
  const below = `/apis/${group}/${version}/`;
  const paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => path.startsWith(below)));
  const [definitions, parameters] = [membersOf(document.definitions), membersOf(document.parameters)];
  const taken: { definitions: Record<string, unknown>; parameters: Record<string, unknown> } = {
    definitions: {},
    parameters: {},
  };
  const waiting: unknown[] = [paths];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const reference of referencesIn(next)) {
      const [, kind, name = ""] = /^#\/(definitions|parameters)\/(.+)$/.exec(reference) ?? [];
      const [from, into] = kind === "definitions" ? [definitions, taken.definitions] : [parameters, taken.parameters];
      if (kind === undefined || !Object.hasOwn(from, name) || Object.hasOwn(into, name)) continue;
      setOwnMember(into, name, from[name]);
      waiting.push(from[name]);
    }
  return { paths, ...taken };
}

const membersOf = (value: unknown): Json => (isRecord(value) ? value : {});

/** Returns all values of `$ref` in a value, at any depth. */
function referencesIn(value: unknown): string[] {
  const found: string[] = [];
  const look = (each: unknown): void => {
    if (Array.isArray(each)) for (const item of each) look(item);
    if (!isRecord(each)) return;
    for (const [name, member] of Object.entries(each))
      if (name === "$ref" && typeof member === "string") found.push(member);
      else look(member);
  };
  look(value);
  return found;
}
