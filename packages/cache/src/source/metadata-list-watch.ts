import {
  apiVersionOf,
  FieldSelector,
  fieldSelectorFrom,
  type Kind,
  type KubeObject,
  type ListMeta,
  mappingOf,
  NoMatchError,
  type RESTMapping,
  type Status,
  StatusError,
} from "@kubewright/apimachinery";
import { type Client, decodeWatchEvent, type Query, rawWatchEvents, type SelectionOptions } from "@kubewright/client";
import { labelSelectorOf } from "../store/lister.ts";
import type { ListerWatcher, ListRequest, SourceEvent } from "./lister-watcher.ts";

/** The part of a client that is needed to ask for metadata alone. */
export type MetadataClient = Pick<Client, "connection" | "mapper">;

const partial = (kind: string): string => `application/json;as=${kind};g=meta.k8s.io;v=v1`;

/** The metadata of a kind's objects; the server leaves everything else out. */
export function metadataListWatch(
  client: MetadataClient,
  kind: Kind,
  selection: SelectionOptions = {},
): ListerWatcher<KubeObject> {
  const pathOf = async (): Promise<string> => {
    const isKnown = kind.plural !== undefined && kind.scope !== undefined;
    return collectionPath(isKnown ? mappingOf(kind) : await client.mapper.mappingFor(kind), selection.namespace);
  };
  /** Partial objects say to be of kind PartialObjectMetadata; for a cache they are of the kind they are part of. */
  const named = (object: KubeObject): KubeObject => ({ ...object, apiVersion: apiVersionOf(kind), kind: kind.kind });
  return {
    async list(request) {
      const { status, body } = await client.connection.request({
        path: await pathOf(),
        query: queryOf(selection, request),
        headers: { accept: partial("PartialObjectMetadataList") },
        signal: request.signal,
        what: `list metadata of ${kind.kind}`,
      });
      if (status >= 400) throw refusal(kind, status, body);
      const list = JSON.parse(body.toString()) as { metadata?: ListMeta; items?: KubeObject[] };
      return { metadata: list.metadata ?? {}, items: (list.items ?? []).map(named) };
    },
    async *watch(request) {
      const { timeoutMs, sendInitialEvents, bookmarks, signal } = request;
      const query = {
        ...queryOf(selection, request),
        watch: true,
        allowWatchBookmarks: bookmarks,
        sendInitialEvents,
        timeoutSeconds: timeoutMs === undefined ? undefined : Math.ceil(timeoutMs / 1_000),
      };
      try {
        const headers = { accept: partial("PartialObjectMetadata") };
        const what = `watch metadata of ${kind.kind}`;
        const { chunks } = await client.connection.stream({ path: await pathOf(), query, headers, signal, what });
        for await (const raw of rawWatchEvents(chunks)) {
          const event: SourceEvent<KubeObject> = decodeWatchEvent(raw);
          yield event.type === "BOOKMARK" ? event : { type: event.type, object: named(event.object) };
        }
      } catch (error) {
        if (!signal?.aborted) throw error;
      }
    },
    async currentVersion(signal) {
      return (await this.list({ limit: 1, signal })).metadata.resourceVersion;
    },
  };
}

/** A page that says 404 without a Status comes from no object's absence: nothing is served there. */
function refusal(kind: Kind, code: number, body: Buffer): Error {
  const text = body.toString();
  if (code === 404 && !text.startsWith("{")) return NoMatchError.ofKind(kind);
  const failure = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", code } as const;
  if (!text.startsWith("{")) return new StatusError({ ...failure, message: `${code}: ${text.slice(0, 200)}` });
  return new StatusError({ ...failure, ...(JSON.parse(text) as Partial<Status>) });
}

function collectionPath({ gvr, scope }: Pick<RESTMapping, "gvr" | "scope">, namespace: string | undefined): string {
  const base = gvr.group === "" ? `/api/${gvr.version}` : `/apis/${gvr.group}/${gvr.version}`;
  const within = scope === "Namespaced" && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${base}${within}/${gvr.resource}`;
}

function queryOf({ labels, fields }: SelectionOptions, request: ListRequest): Query {
  const { resourceVersion, resourceVersionMatch, limit, continue: token } = request;
  return {
    labelSelector: labelSelectorOf(labels)?.toString() || undefined,
    fieldSelector: fieldSelectorText(fields),
    limit,
    continue: token,
    ...(token ? {} : { resourceVersion: resourceVersion || undefined, resourceVersionMatch }),
  };
}

function fieldSelectorText(fields: SelectionOptions["fields"]): string | undefined {
  if (fields === undefined || typeof fields === "string") return fields || undefined;
  return (fields instanceof FieldSelector ? fields : fieldSelectorFrom(fields)).toString() || undefined;
}
