import { type GroupVersionKind, internalError, isRecord, quote, type Unstructured } from "@kubewright/apimachinery";
import { decodeValue, withType } from "../codec/decode.ts";
import { TypeMismatch } from "../codec/decode-builtin.ts";
import type { ServedResource } from "../registry/resource.ts";
import { builtinSchema } from "../schema/builtin-schemas.ts";

/**
 * What a hook or policy made of an object, read as a body is: unknown members are dropped (or, with `strict`, refused), defaults
 * filled in.
 *
 * @param resource under whose name the hook asked for the object
 * @throws {StatusError} 500 where it is no object of its kind any more
 */
export function readPatched(
  value: unknown,
  kind: GroupVersionKind,
  resource: ServedResource | undefined,
  { strict = false }: { readonly strict?: boolean } = {},
): Unstructured {
  const isOwn = resource?.kind === kind.kind && resource.group === kind.group && resource.version === kind.version;
  const schema = isOwn ? resource.schema : builtinSchema(kind);
  if (!schema || !isRecord(value)) throw internalError(new Error(`no kind ${quote(kind.kind)} is registered`));
  const custom = isOwn && resource.origin === "custom";
  const apiVersion = kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
  if (value.apiVersion !== undefined && value.apiVersion !== apiVersion)
    throw internalError(
      new Error(
        `no kind ${quote(kind.kind)} is registered for version ${quote(String(value.apiVersion))} in scheme "pkg/runtime/scheme.go:111"`,
      ),
    );
  const expected = { gvk: kind, schema, custom };
  try {
    const decoded = decodeValue(value, expected, []);
    if (strict && !custom && decoded.problems.length > 0)
      throw internalError(new Error(`strict decoding error: ${decoded.problems.join(", ")}`));
    const object = withType(decoded.value, expected);
    if (isOwn) resource.strategy.applyDefaults?.(object);
    return object;
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    throw internalError(error);
  }
}

/** Makes an object what another one is, in place: whoever holds it sees the change. */
export function replaceMembers(target: Unstructured, source: Unstructured): void {
  const members: Record<string, unknown> = target;
  for (const name of Object.keys(members)) delete members[name];
  Object.assign(members, source);
}
