import { setOwnMember } from "@kubewright/apimachinery";
/** An alternative in an `Accept` header. */
export interface AcceptClause {
  readonly type: string;
  readonly subtype: string;
  /** Parameters of the media type, without the weight. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Maximum number of alternatives. It must be limited, because each alternative is compared with every other one. */
const maxClauses = 256;

interface Weighed extends AcceptClause {
  readonly weight: number;
}

/**
 * Returns the alternatives in an `Accept` header, best first. As in upstream, case matters, a weight of zero does not exclude a type, and
 * types come before patterns regardless of their weights. Ignores all alternatives after the first 256.
 *
 * @see munnerz/goautoneg ParseAccept
 */
export function parseAccept(header: string): AcceptClause[] {
  const clauses: Weighed[] = [];
  for (const part of header.split(",", maxClauses)) {
    const clause = readClause(trimmed(part));
    if (!clause) continue;
    // insertion sort: `comesBefore` does not define a consistent order, so other algorithms would return other results
    let at = clauses.length;
    for (; at > 0; at--) {
      const before = clauses[at - 1];
      if (!before || !comesBefore(clause, before)) break;
    }
    clauses.splice(at, 0, clause);
  }
  return clauses;
}

function comesBefore(a: Weighed, b: Weighed): boolean {
  return a.weight > b.weight || (a.type !== "*" && b.type === "*") || (a.subtype !== "*" && b.subtype === "*");
}

function readClause(text: string): Weighed | undefined {
  const [media = "", ...rest] = text.split(";");
  const [type = "", subtype = "", ...more] = media.split("/").map(trimmed);
  if (more.length > 0 || (subtype === "" && !media.includes("/") && type !== "*")) return undefined;
  const parameters: Record<string, string> = {};
  let weight = 1;
  for (const parameter of rest) {
    const [name = "", value = "", ...others] = parameter.split("=");
    if (value === "" || others.length > 0) continue;
    if (trimmed(name) === "q") weight = decimal.test(value) ? Number(value) : 0;
    else setOwnMember(parameters, trimmed(name), trimmed(value));
  }
  return { type, subtype: subtype === "" && type === "*" ? "*" : subtype, parameters, weight };
}

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Trims spaces, but no other white space. Unlike a regular expression, it reads the text only once. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (text[start] === " ") start++;
  while (end > start && text[end - 1] === " ") end--;
  return text.slice(start, end);
}
