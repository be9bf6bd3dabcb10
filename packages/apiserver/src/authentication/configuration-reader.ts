import { isRecord, ownMember, quote } from "@kubewright/apimachinery";
import { readYaml, wrongType } from "@kubewright/codec";

/**
 * The fields permitted in a configuration. `true` permits any value, an object lists the permitted fields, and a list
 * contains a single shape that applies to all items.
 */
export type Shape = true | { readonly [member: string]: Shape } | readonly [Shape];

const group = "apiserver.config.k8s.io";

/** Parses configuration files in the group `apiserver.config.k8s.io`. Rejects unknown fields. */
export class ConfigurationReader {
  readonly #kind: string;
  readonly #versions: readonly string[];
  readonly #shape: Shape;

  constructor(kind: string, versions: readonly string[], shape: Shape) {
    this.#kind = kind;
    this.#versions = versions;
    this.#shape = shape;
  }

  /** Returns the configuration in a string. @throws {Error} with kube-apiserver's message if the configuration is not valid */
  read(text: string): Record<string, unknown> {
    if (text.trim() === "") throw new Error("empty config data");
    const { value } = readYaml(text);
    if (!isRecord(value)) throw new Error(wrongType("", "object", value));
    const { apiVersion, kind } = value;
    if (!kind) throw new Error(`Object 'Kind' is missing in '${JSON.stringify(value)}'`);
    if (!apiVersion) throw new Error(`Object 'apiVersion' is missing in '${JSON.stringify(value)}'`);
    const [ofGroup, version = ""] = String(apiVersion).split("/");
    if (ofGroup !== group || !this.#versions.includes(version) || kind !== this.#kind)
      throw new Error(`no kind ${quote(String(kind))} is registered for version ${quote(String(apiVersion))}`);
    const unknown = unknownMembers(value, this.#shape, "");
    if (unknown.length > 0)
      throw new Error(`strict decoding error: ${unknown.map((path) => `unknown field ${quote(path)}`).join(", ")}`);
    return value;
  }
}

function unknownMembers(value: unknown, shape: Shape, path: string): string[] {
  if (shape === true) return [];
  if (isList(shape)) {
    const [inside] = shape;
    return Array.isArray(value) ? value.flatMap((one, i) => unknownMembers(one, inside, `${path}[${i}]`)) : [];
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const at = path === "" ? name : `${path}.${name}`;
    const inside = ownMember(shape, name);
    return inside === undefined ? [at] : unknownMembers(member, inside, at);
  });
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);
