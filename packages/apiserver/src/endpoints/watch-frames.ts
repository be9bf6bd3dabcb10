import { type Status, stringifyJson } from "@kubewright/apimachinery";
import { encode } from "../codec/encode.ts";
import type { Negotiated } from "../codec/negotiate.ts";
import { gvkOfResource, type ReadonlyObject, type ServedResource } from "../registry/resource.ts";
import { objectJson } from "./object-json.ts";
import { type IncludeObject, partialObject, table, tableRow } from "./views.ts";

type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

const framesOfObjects = new WeakMap<ReadonlyObject, Map<string, Buffer>>();

/** Writes the events of one watch: a line of JSON each. Lines that look alike to every watcher are made once and shared. */
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
    if (mediaType === "application/yaml")
      return this.#line(type, view === "object" ? object : partialObject(object, viewVersion));
    const key = view === "object" ? type : `${type}/${viewVersion}`;
    let frames = framesOfObjects.get(object);
    if (!frames) {
      frames = new Map();
      framesOfObjects.set(object, frames);
    }
    let frame = frames.get(key);
    if (!frame) {
      const body = view === "object" ? objectJson(object) : stringifyJson(partialObject(object, viewVersion));
      frame = Buffer.from(`{"type":"${type}","object":${body}}\n`);
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
    return Buffer.from(encode({ type, object }, this.#wanted.mediaType, false));
  }
}
