import { checkObjectKey, type KubeObject } from "@kubewright/apimachinery";
import type { Clock } from "@kubewright/clock";
import type { ApiRequests, ApiResponse } from "./api-requests.ts";

const pollMs = 20;

/** Options for {@link poll}. */
export interface PollOptions {
  readonly clock: Pick<Clock, "monotonic" | "sleep">;
  readonly timeoutMs: number;
}

/** Polls until a condition holds. @throws {Error} on timeout; the message starts with `problem` */
export async function poll(
  { clock, timeoutMs }: PollOptions,
  problem: string,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  const deadline = clock.monotonic() + timeoutMs;
  while (!(await condition())) {
    if (clock.monotonic() > deadline) throw new Error(`${problem} after ${timeoutMs} ms`);
    await clock.sleep(pollMs);
  }
}

/**
 * Waits for a response and checks its status.
 *
 * @throws {Error} with the server's message, if the status is an error other than `alsoFine`
 */
export async function expectOk(what: string, answer: Promise<ApiResponse>, alsoFine?: number): Promise<ApiResponse> {
  const { status, text } = await answer;
  if (status >= 400 && status !== alsoFine) throw new Error(`${what}: ${messageIn(text)}`);
  return { status, text };
}

export interface Written<T> {
  /** The object before the write, if it existed. */
  readonly before: T | undefined;
  readonly resourceVersion: string | undefined;
}

/**
 * Returns the path of an object in a collection.
 *
 * @throws {Error} if the name would lead to a different path, such as that of the collection
 */
export function objectPath(collection: string, name: string): string {
  checkObjectKey(collection, { name });
  return `${collection}/${encodeURIComponent(name)}`;
}

/** Creates or updates an object. */
export async function createOrUpdate<T extends KubeObject>(
  api: ApiRequests,
  collection: string,
  object: T,
): Promise<Written<T>> {
  const { name } = object.metadata;
  const created = await expectOk(`create ${name}`, api.send("POST", collection, object), 409);
  if (created.status !== 409) return { before: undefined, resourceVersion: versionOf(created) };
  const before = JSON.parse((await expectOk(`get ${name}`, api.send("GET", objectPath(collection, name)))).text) as T;
  return { before, resourceVersion: await update(api, collection, object, before.metadata.resourceVersion) };
}

/** Updates an object if it still has a given resource version. Resolves to the new version. */
export async function update<T extends KubeObject>(
  api: ApiRequests,
  collection: string,
  object: T,
  resourceVersion: string | undefined,
): Promise<string | undefined> {
  const { name } = object.metadata;
  const metadata = { ...object.metadata, ...(resourceVersion ? { resourceVersion } : {}) };
  const sent = api.send("PUT", objectPath(collection, name), { ...object, metadata });
  return versionOf(await expectOk(`update ${name}`, sent));
}

const versionOf = ({ text }: ApiResponse): string | undefined =>
  (JSON.parse(text) as KubeObject).metadata.resourceVersion;

/** Returns the message if the body is a Status; otherwise, returns the whole text. */
export function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: string };
    return message ?? text;
  } catch {
    return text; // the text is not a Status
  }
}
