import { type DeepReadonly, type Kind, type KubeObject, keyOf, stringifyJson } from "@kubewright/apimachinery";
import { SharedInformer, type SharedInformerOptions } from "@kubewright/cache";
import { clientListWatch } from "@kubewright/cache/tools";
import { Client, type ConnectionSettings, type SelectionOptions } from "@kubewright/client";
import { expect } from "vitest";
import { History } from "./history.ts";
import { NotingClient, type RequestHooks } from "./noting-client.ts";

export interface FollowOptions<T extends KubeObject> extends SelectionOptions, RequestHooks {
  readonly kind: Kind<T>;
  readonly connection: ConnectionSettings;
  readonly informer?: SharedInformerOptions<T>;
}

/** An informer with its own connection, and a handler that was added at the start. */
export class Followed<T extends KubeObject> implements AsyncDisposable {
  readonly informer: SharedInformer<T>;
  readonly history = new History<T>();
  readonly requests: NotingClient;
  readonly errors: unknown[] = [];
  readonly #client: Client;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  /** Starts an informer and resolves when it has synced. */
  static async start<T extends KubeObject>(options: FollowOptions<T>): Promise<Followed<T>> {
    const followed = new Followed(options);
    followed.#running = followed.informer.run(followed.#stop.signal);
    await followed.informer.synced();
    return followed;
  }

  private constructor({ kind, connection, informer, beforeList, listsFromStorage, ...selection }: FollowOptions<T>) {
    this.#client = new Client({ connection });
    this.requests = new NotingClient(this.#client, {
      ...(beforeList ? { beforeList } : {}),
      ...(listsFromStorage ? { listsFromStorage } : {}),
    });
    this.informer = new SharedInformer<T>(clientListWatch(this.requests, kind, selection), {
      kind,
      backoff: { baseMs: 100, maxMs: 1_000 },
      onError: (error) => void this.errors.push(error),
      ...informer,
    });
    this.informer.addHandler(this.history);
  }

  /** HTTP codes of this informer's refused requests. */
  codes(verb: "list" | "watch"): number[] {
    return this.requests.refusals.filter((refusal) => refusal.verb === verb).map(({ code }) => code);
  }

  /** Waits until store and handler match the server, and checks that the handler saw a legal history. */
  async expectCaughtUp(list: () => Promise<readonly DeepReadonly<KubeObject>[]>): Promise<void> {
    await expect
      .poll(async () => differences(await list(), this.informer.indexer.list()), { timeout: 60_000, interval: 200 })
      .toEqual([]);
    const { objects, problems } = this.history;
    await expect.poll(() => differences(this.informer.indexer.list(), [...objects.values()])).toEqual([]);
    expect(problems).toEqual([]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.#client.close();
  }
}

/** Returns objects that differ, ignoring `managedFields`. */
function differences(
  wanted: readonly DeepReadonly<KubeObject>[],
  found: readonly DeepReadonly<KubeObject>[],
): readonly string[] {
  const texts = new Map(found.map((object) => [keyOf(object), textOf(object)]));
  const differing: string[] = [];
  for (const object of wanted) {
    const key = keyOf(object);
    if (texts.get(key) !== textOf(object)) differing.push(key);
    texts.delete(key);
  }
  return [...differing, ...texts.keys()];
}

function textOf(object: DeepReadonly<KubeObject>): string {
  const { managedFields: _, ...metadata } = object.metadata;
  return stringifyJson(inOrder({ ...object, metadata }));
}

/** Returns the value with sorted members at every depth. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, inOrder(member)]),
  );
}
