import { gunzipSync } from "node:zlib";
import { isRecord, parseJsonNumbers } from "@kubewright/apimachinery";
import { type ErrorRecord, formatNumber, type ReconcileLine, type StepRecord, stepVerbs } from "./format.ts";

/** Default limits of the file, and of its decompressed text. */
const defaultFileBytes = 256 << 20;
const defaultTextBytes = 384 << 20;
const maxLines = 5_000_000;
const maxSteps = 10_000;
const deepest = 1_000;
const maxShown = 100;
/** Maximum number of values in a line, and in all lines that are kept as values. Empty arrays take 40 times the memory of their text. */
const maxLineValues = 2_000_000;
const maxValues = 10_000_000;
/** Largest time that a `Date` can have. */
const maxTimeMs = 8.64e15;

/** Options for {@link Recording.read}. */
export interface RecordingLimits {
  /** Maximum size of the file, in bytes. Default 256 MiB. */
  readonly maxFileBytes?: number | undefined;
  /** Maximum size of the decompressed text, in bytes. Default 384 MiB. */
  readonly maxTextBytes?: number | undefined;
}

/** Thrown if a recording cannot be read. The message contains the position and the reason. */
export class RecordingError extends Error {
  override readonly name = "RecordingError";
}

/** A recorded reconcile. Its number is unique in the file. */
export interface RecordedReconcile extends Omit<ReconcileLine, "reconcile"> {
  readonly number: number;
}

/** A recording read from a file. */
export class Recording {
  /** Name of the program, as given by the first header. */
  readonly name: string;
  readonly reconciles: readonly RecordedReconcile[];
  readonly #objects: ReadonlyMap<string, string>;
  readonly #lists: ReadonlyMap<string, List>;

  private constructor(read: Reading) {
    this.name = read.name;
    this.reconciles = read.reconciles;
    this.#objects = read.objects;
    this.#lists = read.lists;
  }

  /**
   * Reads a recording from the contents of its file.
   *
   * @throws {RecordingError} if it is not a recording, has another format, is incomplete, or is too large
   */
  static read(bytes: Uint8Array, limits: RecordingLimits = {}): Recording {
    const read: Reading = {
      ...{ name: "", reconciles: [], objects: new Map(), lists: new Map() },
      ...{ offset: 0, last: 0, values: 0 },
    };
    let count = 0;
    for (const line of linesOf(unzipped(bytes, limits))) {
      count++;
      if (count > maxLines) throw new RecordingError(`the recording contains more than ${maxLines} lines`);
      try {
        addLine(read, line, count === 1);
      } catch (error) {
        if (error instanceof RecordingError) throw new RecordingError(`line ${count}: ${error.message}`);
        throw error;
      }
    }
    if (count === 0) throw new RecordingError("the file is empty; nothing was recorded");
    return new Recording(read);
  }

  /** Returns a new copy of an object. */
  object(hash: string): unknown {
    const json = this.#objects.get(hash);
    return json === undefined ? undefined : parseJsonNumbers(json);
  }

  /** Returns new copies of a list's items, and its metadata. Undefined if the hash does not identify a list. */
  list(hash: string): { readonly items: unknown[]; readonly metadata: object } | undefined {
    const list = this.#lists.get(hash);
    return list && { items: list.items.map((item) => this.object(item)), metadata: list.metadata };
  }
}

interface List {
  readonly items: readonly string[];
  readonly metadata: object;
}

/** Contents that have been read so far. */
interface Reading {
  name: string;
  readonly reconciles: RecordedReconcile[];
  readonly objects: Map<string, string>;
  readonly lists: Map<string, List>;
  /** Added to the numbers of reconciles, because each process counts its own. */
  offset: number;
  last: number;
  /** Number of values in the lines that are stored as values. */
  values: number;
}

function unzipped(
  bytes: Uint8Array,
  { maxFileBytes = defaultFileBytes, maxTextBytes = defaultTextBytes }: RecordingLimits,
): string {
  if (bytes.length > maxFileBytes)
    throw new RecordingError(`the file is ${bytes.length} bytes long; at most ${maxFileBytes} bytes can be read`);
  if (bytes.length === 0) throw new RecordingError("the file is empty; nothing was recorded");
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b)
    throw new RecordingError("the file is not a recording: it is not gzipped");
  try {
    return gunzipSync(bytes, { maxOutputLength: maxTextBytes }).toString();
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ERR_BUFFER_TOO_LARGE")
      throw new RecordingError(`the recording is larger than ${maxTextBytes} bytes when decompressed`, { cause });
    if (code === "Z_BUF_ERROR")
      throw new RecordingError("the file is incomplete, possibly because the program was killed", { cause });
    throw new RecordingError(`the file cannot be decompressed: ${String(code ?? cause)}`, { cause });
  }
}

function* linesOf(text: string): Iterable<string> {
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  if (start < text.length) throw new RecordingError("the last line is incomplete");
}

/** Beginning of a line that contains an object. */
const objectLine = /^\{"object":"([^"\\]+)","value":/;

function addLine(read: Reading, line: string, isFirst: boolean): void {
  const values = boundedValues(line);
  const [prefix, hash] = objectLine.exec(line) ?? [];
  if (prefix !== undefined && hash !== undefined && line.endsWith("}") && !isFirst) {
    // The text is kept, because an object takes more memory, and each replay needs its own copy.
    const json = line.slice(prefix.length, -1);
    parsed(json);
    read.objects.set(hash, json);
    return;
  }
  read.values += values;
  if (read.values > maxValues) throw new RecordingError(`the recording contains more than ${maxValues} values`);
  const value = parsed(line);
  if (!isRecord(value)) throw new RecordingError("it is not an object");
  if (isFirst || value.kubewright !== undefined) {
    checkHeader(value);
    if (isFirst && typeof value.name === "string") read.name = value.name;
    read.offset = read.last;
  } else if (value.object !== undefined) {
    throw new RecordingError("the object's hash is missing or invalid");
  } else if (value.list !== undefined) {
    const { list, items, metadata } = value;
    if (typeof list !== "string" || !isTexts(items)) throw new RecordingError("the list's hash or items are invalid");
    if (!items.every((item) => read.objects.has(item)))
      throw new RecordingError("the list refers to an unknown object");
    read.lists.set(list, { items, metadata: isRecord(metadata) ? metadata : {} });
  } else {
    const reconcile = reconcileOf(value, read);
    read.last = reconcile.number;
    read.reconciles.push(reconcile);
  }
}

function parsed(json: string): unknown {
  try {
    return parseJsonNumbers(json);
  } catch (cause) {
    throw new RecordingError(`it is not JSON: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

function checkHeader({ kubewright, format }: Record<string, unknown>): void {
  if (kubewright !== "recording") throw new RecordingError("the file is not a recording: it has no header");
  if (format !== formatNumber)
    throw new RecordingError(
      `the recording has format ${JSON.stringify(format)?.slice(0, maxShown)}, but this version reads format ${formatNumber}; use the version of kubewright that wrote it`,
    );
}

/**
 * Limits the depth and the number of values of JSON before it is parsed, because code that walks through values is recursive, and values
 * take much more memory than their text.
 *
 * @returns the number of values
 */
function boundedValues(json: string): number {
  let depth = 0;
  let values = 0;
  let isInString = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (isInString) {
      if (code === 0x5c) at++;
      else if (code === 0x22) isInString = false;
    } else if (code === 0x22) isInString = true;
    else if (code === 0x2c) values++;
    else if (code === 0x7b || code === 0x5b) {
      values++;
      if (++depth > deepest) throw new RecordingError(`it is nested more than ${deepest} levels deep`);
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  if (values > maxLineValues) throw new RecordingError(`it contains more than ${maxLineValues} values`);
  return values;
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function reconcileOf(line: Record<string, unknown>, read: Reading): RecordedReconcile {
  const { reconcile, controller, request, causes, atMs, tookMs, reconcileID, steps, result, error, unusable } = line;
  if (!isCount(reconcile)) throw new RecordingError("it is not a header, an object, a list or a reconcile");
  const wrong = (field: string): RecordingError =>
    new RecordingError(`reconcile ${reconcile}: missing or invalid ${field}`);
  if (typeof controller !== "string") throw wrong("controller");
  if (!isTime(atMs) || !isTime(tookMs)) throw wrong("time");
  if (!Array.isArray(causes) || !causes.every(isCause)) throw wrong("causes");
  if (!Array.isArray(steps) || steps.length > maxSteps) throw wrong("steps");
  if (result !== undefined && !isRecord(result)) throw wrong("result");
  if (error !== undefined && !isError(error)) throw wrong("error");
  return {
    ...{ number: read.offset + reconcile, controller, request, causes, atMs, tookMs },
    ...(typeof reconcileID === "string" ? { reconcileID } : {}),
    steps: steps.map((step: unknown, at) => {
      if (!isStep(step, read)) throw wrong(`step ${at + 1}`);
      return step;
    }),
    ...(result === undefined ? {} : { result }),
    ...(error === undefined ? {} : { error }),
    ...(line.isTerminal === true ? { isTerminal: true } : {}),
    ...(typeof unusable === "string" ? { unusable } : {}),
  };
}

const isTime = (value: unknown): value is number => typeof value === "number" && Math.abs(value) <= maxTimeMs;

const isCause = (value: unknown): value is ReconcileLine["causes"][number] =>
  isRecord(value) &&
  [value.source, value.type, value.key, value.resourceVersion ?? ""].every((text) => typeof text === "string");

const isError = (value: unknown): value is ErrorRecord =>
  isRecord(value) &&
  typeof value.name === "string" &&
  typeof value.message === "string" &&
  (value.code === undefined || typeof value.code === "string" || typeof value.code === "number") &&
  (value.status === undefined || isStatus(value.status));

const isTextIfAny = (value: unknown): boolean => value === undefined || typeof value === "string";

const isStatus = (value: unknown): boolean =>
  isRecord(value) &&
  isTextIfAny(value.message) &&
  isTextIfAny(value.reason) &&
  (value.code === undefined || typeof value.code === "number") &&
  (value.details === undefined || isRecord(value.details));

const verbs: ReadonlySet<unknown> = new Set(stepVerbs);

function isStep(value: unknown, { objects, lists }: Reading): value is StepRecord {
  if (!isRecord(value) || !verbs.has(value.verb) || !Array.isArray(value.at)) return false;
  const { kind, subResource, key, name, options, body, answer, error, at } = value;
  const needsTime = ["now", "monotonic", "sleep"].includes(String(value.verb));
  return (
    (!needsTime || isTime(value.value)) &&
    [kind, subResource, key, name].every(isTextIfAny) &&
    (options === undefined || isRecord(options)) &&
    (body === undefined || (typeof body === "string" && objects.has(body))) &&
    (answer === undefined || (typeof answer === "string" && (objects.has(answer) || lists.has(answer)))) &&
    (error === undefined || isError(error)) &&
    isCount(at[0]) &&
    (at[1] === undefined || isCount(at[1]))
  );
}
