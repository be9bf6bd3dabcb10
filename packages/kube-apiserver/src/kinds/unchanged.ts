import { type FieldError, type FieldPath, fieldError, isRecord, semanticEqual } from "@kubewright/apimachinery";

/** Returns the error `field is immutable` if a value has changed. */
export function unchanged(next: unknown, old: unknown, at: FieldPath): FieldError[] {
  return semanticEqual(next, old) ? [] : [fieldError.invalid(at, next ?? null, "field is immutable")];
}

const maxNamed = 10;

/**
 * Describes where two values differ, using paths that are as deep as possible, such as `changed: containers[0].command,
 * nodeName`. Lists at most ten paths.
 */
export function whatChanged(old: unknown, next: unknown): string {
  const places: string[] = [];
  compare({ old, next, at: "", name: "", within: "" }, places);
  const named = places.slice(0, maxNamed).join(", ");
  return `changed: ${named}${places.length > maxNamed ? ", …" : ""}`;
}

/**
 * Two values to compare, with their position. The position is needed because the meaning of a field depends on its name and on the name of
 * its parent.
 */
interface Pair {
  readonly old: unknown;
  readonly next: unknown;
  readonly at: string;
  readonly name: string;
  readonly within: string;
}

function compare({ old, next, at, name, within }: Pair, places: string[]): void {
  const inPlace = (value: unknown): object => ({ [within]: { [name]: value } });
  if (places.length > maxNamed || semanticEqual(inPlace(old), inPlace(next))) return;
  if (isRecord(old) && isRecord(next)) {
    for (const member of new Set([...Object.keys(old), ...Object.keys(next)])) {
      const path = at === "" ? member : `${at}.${member}`;
      compare({ old: old[member], next: next[member], at: path, name: member, within: name }, places);
    }
  } else if (Array.isArray(old) && Array.isArray(next) && old.length === next.length) {
    for (const [i, item] of old.entries())
      compare({ old: item, next: next[i], at: `${at}[${i}]`, name: "", within: "" }, places);
  } else places.push(at);
}
