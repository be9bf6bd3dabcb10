import { isRecord, isStatusError } from "@kubewright/apimachinery";
import { badBody } from "../body/expected-type.ts";
import { parseMediaType } from "../body/media-type.ts";
import { readJsonText, readYamlText, UnreadableTextError } from "../body/read-body.ts";
import { readEnvelope } from "../protobuf/protobuf-decode.ts";
import { ProtobufError } from "../protobuf/protobuf-reader.ts";
import { builtinSchema } from "../schema/builtin-schemas.ts";
import { decodeBody } from "./decode.ts";

/**
 * Decodes the `DeleteOptions` in the body of a DELETE request. If the body is empty, there are no options. The options'
 * `apiVersion` may be of any group, or absent.
 *
 * @throws {StatusError} 400 if the body cannot be parsed as options, 415 if the content type is unknown
 */
export function decodeOptions(
  contentType: string | undefined,
  body: Buffer,
  kind: "DeleteOptions",
): Record<string, unknown> {
  if (body.length === 0) return {};
  const gvk = { group: "", version: "v1", kind };
  const schema = builtinSchema(gvk);
  if (!schema) throw new Error(`no type ${kind}`);
  const given = typeOf(contentType, body);
  if (given.kind !== "" && given.kind !== kind)
    throw badBody(
      `no kind "${given.kind}" is registered for version "${given.apiVersion ?? "v1"}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  const { apiVersion: group = "v1" } = given;
  const at = group.indexOf("/");
  const expected = {
    gvk: { group: at < 0 ? "" : group.slice(0, at), version: group.slice(at + 1) || "v1", kind },
    schema,
    custom: false,
  };
  const {
    apiVersion: _apiVersion,
    kind: _kind,
    metadata: _metadata,
    ...options
  } = withoutPrefix(() => decodeBody(contentType, body, expected, "Ignore").object);
  return options;
}

/**
 * Runs a decoder and removes the prefix "cannot be handled as" from its message, because upstream's message for options has no such prefix.
 */
function withoutPrefix<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!isStatusError(error) || error.code !== 400) throw error;
    throw badBody(error.message.replace(/^\w+ in version "[^"]*" cannot be handled as a \w+: /, ""));
  }
}

function envelopeType(body: Buffer): { kind: string; apiVersion?: string } {
  try {
    const { kind, apiVersion } = readEnvelope(body);
    return { kind, ...(apiVersion ? { apiVersion } : {}) };
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw badBody(error.message);
  }
}

function typeOf(contentType: string | undefined, body: Buffer): { kind: string; apiVersion?: string } {
  const type = contentType ? parseMediaType(contentType)?.type : undefined;
  if (type === "application/vnd.kubernetes.protobuf") return envelopeType(body);
  try {
    const { value } = type === "application/yaml" ? readYamlText(body.toString()) : readJsonText(body.toString());
    if (!isRecord(value)) return { kind: "" };
    return {
      kind: typeof value.kind === "string" ? value.kind : "",
      ...(typeof value.apiVersion === "string" && value.apiVersion !== "" ? { apiVersion: value.apiVersion } : {}),
    };
  } catch (error) {
    if (!(error instanceof UnreadableTextError)) throw error;
    return { kind: "" };
  }
}
