import { apiVersionOf, type Status } from "@kubewright/apimachinery";
import { encode } from "../codec/encode.ts";
import type { Negotiated } from "../codec/negotiate.ts";
import { encodeDocument, inEnvelope, watchFrame } from "../codec/protobuf-document.ts";
import { gvkOfResource, type ReadonlyObject, type ServedResource } from "../registry/resource.ts";
import { objectBody } from "./object-json.ts";
import { objectMessage } from "./object-protobuf.ts";
import { type IncludeObject, partialObject, table, tableRow } from "./views.ts";

type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

/** Frames of as many objects are kept, twice: watchers of one resource write the same ones at about the same time. */
const keptObjects = 500;
let recent = new Map<ReadonlyObject, Map<string, Buffer>>();
let older: typeof recent = new Map();

function framesOf(object: ReadonlyObject): Map<string, Buffer> {
  let frames = recent.get(object);
  if (frames) return frames;
  frames = older.get(object) ?? new Map();
  if (recent.size >= keptObjects) {
    older = recent;
    recent = new Map();
  }
  recent.set(object, frames);
  return frames;
}

/** Writes the events of one watch: a line of JSON or a frame of protobuf each. Those that look alike to every watcher are made once and shared. */
export class WatchFrames {
  readonly #resource: ServedResource;
  readonly #wanted: Negotiated;
  readonly #include: IncludeObject;
  readonly #now: () => number;
  #columnsSent = false;

  constructor(resource: ServedResource, wanted: Negotiated, include: IncludeObject, now: () => number) {
    this.#resource = resource;
    this.#wanted = wanted;
    this.#include = include;
    this.#now = now;
  }

  change(type: ChangeType, object: ReadonlyObject): Buffer {
    const { view, viewVersion, mediaType } = this.#wanted;
    if (view === "table") return this.#line(type, this.#table(object));
    const isProtobuf = mediaType === "application/vnd.kubernetes.protobuf";
    const key = `${isProtobuf ? "protobuf/" : ""}${view === "object" ? type : `${type}/${viewVersion}`}`;
    const frames = framesOf(object);
    let frame = frames.get(key);
    if (!frame) {
      if (view !== "object") frame = this.#line(type, partialObject(object, viewVersion));
      else if (isProtobuf) frame = protobufFrame(type, object, this.#resource);
      else frame = objectFrame(type, object);
      frames.set(key, frame);
    }
    return frame;
  }

  bookmark(resourceVersion: number, initialEventsEnd: boolean): Buffer {
    const { group, version, kind } = gvkOfResource(this.#resource);
    const metadata = {
      resourceVersion: String(resourceVersion),
      ...(initialEventsEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
    };
    const object = { kind, apiVersion: group === "" ? version : `${group}/${version}`, metadata };
    const { view, viewVersion } = this.#wanted;
    if (view === "object") return this.#line("BOOKMARK", object);
    const partial = { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${viewVersion}`, metadata };
    if (view !== "table") return this.#line("BOOKMARK", partial);
    return this.#line("BOOKMARK", this.#table({ ...object, metadata: { name: "", ...metadata } }, partial));
  }

  error(status: Status): Buffer {
    return this.#line("ERROR", status);
  }

  /** @param shown what the row carries instead of the object: a bookmark has no name */
  #table(object: ReadonlyObject, shown?: unknown): unknown {
    const { viewVersion } = this.#wanted;
    const { resourceVersion } = object.metadata;
    const row = tableRow(this.#resource, object, this.#include, viewVersion, this.#now());
    return table(this.#resource, {
      version: viewVersion,
      metadata: resourceVersion ? { resourceVersion } : {},
      rows: [{ ...row, ...(shown === undefined ? {} : { object: shown }) }],
      columns: this.#firstTime(),
    });
  }

  #firstTime(): boolean {
    const first = !this.#columnsSent;
    this.#columnsSent = true;
    return first;
  }

  #line(type: string, object: unknown): Buffer {
    if (this.#wanted.mediaType === "application/vnd.kubernetes.protobuf")
      return watchFrame(type, encodeDocument(object));
    return Buffer.from(encode({ type, object }, "application/json", false));
  }
}

function objectFrame(type: ChangeType, object: ReadonlyObject): Buffer {
  const body = objectBody(object);
  return Buffer.concat([Buffer.from(`{"type":"${type}","object":`), body.subarray(0, -1), Buffer.from("}\n")]);
}

function protobufFrame(type: ChangeType, object: ReadonlyObject, resource: ServedResource): Buffer {
  return watchFrame(type, inEnvelope(apiVersionOf(resource), resource.kind, objectMessage(object, resource)));
}

let lastJoined: { readonly frames: readonly Buffer[]; readonly joined: Buffer } | undefined;

/** Frames as one piece. Watchers that are sent the same frames one after the other share it. */
export function joinFrames(frames: readonly Buffer[]): Buffer {
  const [first] = frames;
  if (frames.length === 1 && first) return first;
  const isSame =
    lastJoined?.frames.length === frames.length && lastJoined.frames.every((frame, index) => frame === frames[index]);
  if (isSame && lastJoined) return lastJoined.joined;
  lastJoined = { frames, joined: Buffer.concat(frames) };
  return lastJoined.joined;
}
