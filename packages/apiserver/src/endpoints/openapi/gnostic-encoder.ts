import { isRecord } from "@kubewright/apimachinery";
import { stringify } from "yaml";
import { openApiV2Messages, openApiV3Messages } from "./gnostic-messages.ts";
import { MessageWriter } from "./message-writer.ts";
import type { Dialect, Json } from "./schema-models.ts";

interface Field {
  readonly number: number;
  /** JSON name of the field; empty for the alternatives of a choice. */
  readonly name: string;
  readonly type: string;
}

interface Message {
  readonly form: "struct" | "map" | "choice";
  readonly fields: readonly Field[];
  /** Number of the field that contains all `x-` members; 0 if the message has no such field. */
  readonly extensions: number;
}

/**
 * Encodes an OpenAPI document as protobuf, using gnostic's messages.
 *
 * @see kube-openapi pkg/handler ToProtoBinary, pkg/handler3 ToV3ProtoBinary
 */
export function encodeDocument(document: Json, dialect: Dialect): Buffer {
  return encoderOf(dialect).encode("Document", document) ?? Buffer.alloc(0);
}

const encoders = new Map<Dialect, GnosticEncoder>();

function encoderOf(dialect: Dialect): GnosticEncoder {
  const known = encoders.get(dialect);
  if (known) return known;
  const made = new GnosticEncoder(parseMessages(dialect === "v2" ? openApiV2Messages : openApiV3Messages));
  encoders.set(dialect, made);
  return made;
}

class GnosticEncoder {
  readonly #messages: ReadonlyMap<string, Message>;

  constructor(messages: ReadonlyMap<string, Message>) {
    this.#messages = messages;
  }

  /** Encodes a value as a message of a certain type. Returns `undefined` if the value cannot be encoded. */
  encode(type: string, value: unknown): Buffer | undefined {
    const message = this.#messages.get(type);
    if (!message) throw new Error(`no message ${type} in OpenAPI documents`);
    const writer = new MessageWriter();
    if (message.form === "choice") {
      // a default that is not a scalar matches no alternative, so upstream writes an empty message
      return this.#choose(message, value, writer) || type === "DefaultType" ? writer.finish() : undefined;
    }
    if (!isRecord(value)) return undefined;
    if (message.form === "struct")
      for (const field of message.fields)
        if (value[field.name] !== undefined) this.#write(writer, field.number, field.type, value[field.name]);
    if (message.form === "map") this.#writeEntries(writer, message, value);
    if (message.extensions > 0) writeExtensions(writer, message.extensions, value);
    return writer.finish();
  }

  #writeEntries(writer: MessageWriter, { fields, extensions }: Message, value: Json): void {
    const [entries] = fields;
    if (!entries) return;
    for (const [name, member] of Object.entries(value)) {
      if (extensions > 0 && name.startsWith("x-")) continue;
      const entry = new MessageWriter();
      entry.string(1, name);
      this.#write(entry, 2, entries.type, member);
      writer.bytes(entries.number, entry.finish());
    }
  }

  #write(writer: MessageWriter, number: number, type: string, value: unknown): void {
    if (type.startsWith("[")) {
      for (const item of Array.isArray(value) ? value : []) this.#writeItem(writer, number, type.slice(1, -1), item);
      return;
    }
    if (type.startsWith("*")) {
      const inner = new MessageWriter();
      for (const item of Array.isArray(value) ? value : [value]) this.#writeItem(inner, 1, type.slice(1), item);
      writer.bytes(number, inner.finish());
      return;
    }
    if (type === "string") writer.string(number, String(value));
    else this.#writeItem(writer, number, type, value);
  }

  /** Writes an item of a list. Unlike other fields, an item is written even if it is an empty string. */
  #writeItem(writer: MessageWriter, number: number, type: string, value: unknown): void {
    switch (type) {
      case "string":
        writer.bytes(number, Buffer.from(String(value)));
        break;
      case "bool":
        writer.bool(number, value === true);
        break;
      case "int":
        writer.int64(number, Number(value));
        break;
      case "double":
        writer.double(number, Number(value));
        break;
      case "any":
        writer.bytes(number, yamlMessage(value));
        break;
      default: {
        const encoded = this.encode(type, value);
        if (encoded) writer.bytes(number, encoded);
      }
    }
  }

  #choose({ fields }: Message, value: unknown, writer: MessageWriter): boolean {
    const chosen = fields.find(({ type }) => fits(type, value));
    if (!chosen) return false;
    // in a choice, a value is written even if it is zero
    if (typeof value === "boolean") writer.bool(chosen.number, value, true);
    else if (typeof value === "number") writer.double(chosen.number, value, true);
    else if (typeof value === "string") writer.bytes(chosen.number, Buffer.from(value));
    else this.#write(writer, chosen.number, chosen.type, value);
    return true;
  }
}

/** Reports whether a value can be encoded as an alternative of this type. */
function fits(type: string, value: unknown): boolean {
  switch (type) {
    case "bool":
      return typeof value === "boolean";
    case "string":
      return typeof value === "string";
    case "double":
      return typeof value === "number";
    case "[string]":
      return Array.isArray(value);
  }
  if (!isRecord(value)) return false;
  const isReference = typeof value.$ref === "string";
  switch (type) {
    case "JsonReference":
    case "Reference":
      return isReference;
    case "Parameter":
      return !isReference;
    case "BodyParameter":
      return value.in === "body";
    case "QueryParameter":
      return value.in === "query";
    case "PathParameter":
      return value.in === "path";
    // in v2, a schema itself may be a reference
    case "Schema":
      return true;
    default:
      return !isReference || type === "SchemaOrReference";
  }
}

function writeExtensions(writer: MessageWriter, number: number, value: Json): void {
  for (const [name, member] of Object.entries(value)) {
    if (!name.startsWith("x-")) continue;
    const entry = new MessageWriter();
    entry.string(1, name);
    entry.bytes(2, yamlMessage(member));
    writer.bytes(number, entry.finish());
  }
}

function yamlMessage(value: unknown): Buffer {
  const writer = new MessageWriter();
  const text = stringify(value, { version: "1.1", aliasDuplicateObjects: false, lineWidth: 0, singleQuote: true });
  writer.string(2, text.replaceAll(/(^|[:-] )''$/gm, '$1""')); // as Go writes an empty string
  return writer.finish();
}

function parseMessages(table: string): Map<string, Message> {
  const messages = new Map<string, Message>();
  for (const line of table.trim().split("\n")) {
    const [name = "", definition = ""] = line.split(" = ", 2);
    messages.set(name, parseMessage(definition));
  }
  return messages;
}

function parseMessage(definition: string): Message {
  const extensions = Number(/(\d+) \^/.exec(definition)?.[1] ?? 0);
  const map = /^\{(\d+) (\w+)\}/.exec(definition);
  if (map) return { form: "map", fields: [{ number: Number(map[1]), name: "", type: map[2] ?? "" }], extensions };
  const isChoice = definition.startsWith("| ");
  const parts = (isChoice ? definition.slice(2) : definition).split(", ").filter((part) => !part.endsWith("^"));
  const fields = parts.map((part) => {
    const [number = "", rest = ""] = part.split(" ", 2);
    const [name = "", type = ""] = isChoice ? ["", rest] : rest.split(":", 2);
    return { number: Number(number), name, type };
  });
  return { form: isChoice ? "choice" : "struct", fields, extensions };
}
