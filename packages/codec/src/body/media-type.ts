import { setOwnMember } from "@kubewright/apimachinery";
/** A media type with its parameters, whose names are in lower case. */
export interface MediaType {
  /** The media type without parameters, such as `application/json`. */
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Parses a media type such as `application/json;as=Table;v=v1`. Returns `undefined` if the text is not a media type. */
export function parseMediaType(text: string): MediaType | undefined {
  if (text === "application/json" || text === "*/*") return { type: text, parameters: {} };
  const [first = "", ...rest] = text.split(";");
  const type = first.trim().toLowerCase();
  if (!/^[^\s/]+\/[^\s/]+$/.test(type)) return undefined;
  const parameters: Record<string, string> = {};
  for (const part of rest) {
    const at = part.indexOf("=");
    if (at < 0) continue;
    setOwnMember(
      parameters,
      part.slice(0, at).trim().toLowerCase(),
      part
        .slice(at + 1)
        .trim()
        .replace(/^"(.*)"$/, "$1"),
    );
  }
  return { type, parameters };
}
