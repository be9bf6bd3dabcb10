import { apiVersionOf, type Status } from "@kubewright/apimachinery";
import type { Negotiated } from "@kubewright/codec";
import { encode, encodeDocument, inEnvelope, watchFrame } from "@kubewright/codec";
import { gvkOfResource, type ReadonlyObject, type ServedResource } from "../../registry/resource.ts";
import { objectBody } from "../responses/object-json.ts";
import { objectMessage } from "../responses/object-protobuf.ts";
import { type IncludeObject, partialObject, table, tableRow } from "../responses/views.ts";
import type { SharedFrames } from "../scope/shared-frames.ts";

type ChangeType = "ADDED" | "MODIFIED" | "DELETED";

/**
 * Encodes the events of a watch, each as a line of JSON or a protobuf frame. Frames that are the same for all watches
 * are created once and shared.
 */
export class WatchFrames {
  readonly #resource: ServedResource;
  readonly #wanted: Negotiated;
  readonly #include: IncludeObject;
  readonly #now: () => number;
  readonly #shared: SharedFrames;
  #columnsSent = false;

  constructor(
    resource: ServedResource,
    wanted: Negotiated,
    include: IncludeObject,
    now: () => number,
    shared: SharedFrames,
  ) {
    this.#shared = shared;
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
    return this.#shared.frame(object, key, () => {
      if (view !== "object") return this.#line(type, partialObject(object, viewVersion));
      return isProtobuf ? protobufFrame(type, object, this.#resource) : objectFrame(type, object);
    });
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

  /**
   * Returns the Table for one event. @param shown object to show in the row instead, for a bookmark, which has no
   * name
   */
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
