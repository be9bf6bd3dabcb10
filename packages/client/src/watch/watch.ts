import {
  JsonMembers,
  type KubeObject,
  parseJsonNumbers,
  type Status,
  StatusError,
  stringifyJson,
} from "@kubewright/apimachinery";

/** The object of a BOOKMARK event, which reports a watch's progress and has only a type and a resource version. */
export interface Bookmark {
  apiVersion: string;
  kind: string;
  metadata: { resourceVersion: string; annotations?: Record<string, string> };
}

/** A change to an object. ERROR events are thrown as a `StatusError` instead. @see apimachinery watch.Event */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  | { readonly type: "BOOKMARK"; readonly object: Bookmark };

/** Annotation on the bookmark that ends the initial events of a streaming list. @see metav1.InitialEventsAnnotationKey */
export const initialEventsEndAnnotation = "k8s.io/initial-events-end";

/** Reports whether an event is the bookmark that ends the initial events. */
export const isInitialEventsEnd = (event: WatchEvent): boolean =>
  event.type === "BOOKMARK" && event.object.metadata.annotations?.[initialEventsEndAnnotation] === "true";

/** An event whose object has not been parsed yet. */
export interface RawWatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  /** The object's JSON. The buffer is a view into memory shared with other events, so copy data that you want to retain. */
  readonly object: Buffer;
  /** The whole line. Set if the position of `object` was derived from the beginning and end of the line without validating the object. */
  readonly line?: Buffer | undefined;
}

/**
 * Yields the unparsed events from a watch's response body. Events that arrived together are yielded as one array, to
 * avoid a promise per event.
 *
 * @throws {StatusError} for an ERROR event
 * @throws {Error} if a line is not an event
 */
export async function* rawWatchBatches(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<readonly RawWatchEvent[], void, undefined> {
  const splitter = new LineSplitter();
  for await (const chunk of chunks) {
    const events: RawWatchEvent[] = [];
    let failure: { readonly error: unknown } | undefined;
    try {
      for (const line of splitter.push(chunk)) {
        const event = withKnownHead(line) ?? withMembers(line) ?? parsed(line);
        if (event) events.push(event);
      }
    } catch (error) {
      failure = { error };
    }
    if (events.length > 0) yield events;
    if (failure) throw failure.error;
  }
  // A line without an end is an event that was truncated with the connection. The next watch delivers the event again.
}

/** Parses the object of a raw event. @throws {Error} if the object is not valid JSON */
export function decodeWatchEvent<T extends KubeObject>({ type, object, line }: RawWatchEvent): WatchEvent<T> {
  try {
    return { type, object: parseJsonNumbers(object.toString()) } as WatchEvent<T>;
  } catch (error) {
    if (line === undefined) throw error;
    return { type, object: eventIn(line.toString()).object } as WatchEvent<T>; // there may be another member after the object
  }
}

const heads = (["MODIFIED", "ADDED", "DELETED", "BOOKMARK"] as const).map((type) => ({
  type,
  head: Buffer.from(`{"type":"${type}","object":`),
}));
/** Position of the first letter of the type in a line. */
const atType = '{"type":"'.length;
const closingBrace = 0x7d;

/**
 * Parses events in the format that API servers write. The object's bytes are everything between the fixed beginning and
 * the last brace.
 */
function withKnownHead(line: Buffer): RawWatchEvent | undefined {
  for (const { type, head } of heads) {
    if (line[atType] !== head[atType] || !beginsWith(line, head)) continue;
    let end = line.length - 1;
    while (end > head.length && line[end] !== closingBrace) end--;
    return { type, object: line.subarray(head.length, end), line };
  }
  return undefined;
}

function beginsWith(line: Buffer, head: Buffer): boolean {
  if (line.length <= head.length) return false;
  for (let i = 0; i < head.length; i++) if (line[i] !== head[i]) return false;
  return true;
}

/** Parses type and object in any order, with white space and other members in between. */
function withMembers(line: Buffer): RawWatchEvent | undefined {
  let type: string | undefined;
  let object: Buffer | undefined;
  const members = new JsonMembers(line, 0);
  while (members.next()) {
    members.skip();
    const name = line.toString("utf8", members.nameStart, members.nameEnd);
    const value = line.subarray(members.valueStart, members.valueEnd);
    if (name.includes("\\")) return undefined;
    if (name === "type") type = value.toString().slice(1, -1);
    else if (name === "object") object = value;
  }
  const known = heads.find((head) => head.type === type);
  const isWhole = members.end > 0 && line.subarray(members.end).toString().trim() === "";
  return isWhole && known && object ? { type: known.type, object } : undefined;
}

/** Parses events in any other JSON form, and ERROR events. */
function parsed(line: Buffer): RawWatchEvent | undefined {
  const text = line.toString();
  if (text.trim() === "") return undefined;
  const { type, object } = eventIn(text);
  if (type === "ERROR") throw new StatusError(statusIn(object));
  const known = heads.find((head) => head.type === type);
  if (!known) throw new Error(`unknown watch event type ${JSON.stringify(type)}`);
  return { type: known.type, object: Buffer.from(stringifyJson(object)) };
}

function eventIn(text: string): { readonly type: unknown; readonly object: unknown } {
  let event: unknown;
  try {
    event = parseJsonNumbers(text);
  } catch (error) {
    throw new Error(`a watch event is not JSON: ${text.slice(0, 200)}`, { cause: error });
  }
  if (typeof event !== "object" || event === null || !("type" in event) || !("object" in event))
    throw new Error(`a watch event has no type or no object: ${text.slice(0, 200)}`);
  return event;
}

function statusIn(object: unknown): Status {
  const isStatus = typeof object === "object" && object !== null && "kind" in object && object.kind === "Status";
  return isStatus
    ? (object as Status)
    : { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message: JSON.stringify(object), code: 500 };
}

const newline = 0x0a;

/**
 * Splits a stream of chunks into lines. Splits bytes instead of text, so that a character that spans two chunks is
 * decoded correctly. A line is usually a view into its chunk and keeps the whole chunk in memory, so copy data that you
 * want to keep.
 */
export class LineSplitter {
  #unfinished: Buffer[] = [];

  /** Returns the lines that this chunk completes, without newlines. Empty lines are omitted. */
  push(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const piece = chunk.subarray(start, end);
      start = end + 1;
      const line = this.#unfinished.length === 0 ? piece : Buffer.concat([...this.#unfinished, piece]);
      this.#unfinished = [];
      if (line.length > 0) lines.push(line);
    }
    if (start < chunk.length) this.#unfinished.push(start === 0 ? chunk : chunk.subarray(start));
    return lines;
  }

  /** Returns the bytes after the last newline, or `undefined` if there are none. */
  rest(): Buffer | undefined {
    return this.#unfinished.length === 0 ? undefined : Buffer.concat(this.#unfinished);
  }
}
