import type { DescribedResource } from "@kubewright/apimachinery";
import type { CachedKindInspection } from "@kubewright/cache";
import type { QueueRow } from "@kubewright/controller";
import { durationText } from "./duration.ts";
import type { ControllerNumbers } from "./history.ts";
import type { PermissionsResponse } from "./permissions.ts";
import { redactedText } from "./redacted.ts";
import { isCacheOf } from "./runtime.ts";
import type { ShardsState } from "./shards.ts";

/** An item that needs a person's attention. */
export interface AttentionItem {
  readonly tone: "bad" | "warning";
  readonly text: string;
  /** Address of the screen that shows more, as a list of its parts. Absent if there is no such screen. */
  readonly to?: readonly string[] | undefined;
}

export interface Attention {
  /** The items, with the most urgent ones first. */
  readonly items: readonly AttentionItem[];
  /** Number of items, including those that `items` does not contain. */
  readonly total: number;
}

/** Time that a program may take to start before missing caches, certificates and leaders need attention. */
const startMs = 30_000;
/** Silence after which a watch counts as dead. Servers send a bookmark about once a minute, and a silent watch is replaced after two. */
const deadMs = 150_000;
/** Time for which watches may be interrupted. */
const interruptedMs = 30_000;
/** Time without a finished reconcile after which a controller with waiting requests is stuck. */
const stuckMs = 60_000;
/** Remaining validity below which a certificate needs attention. Certificates are normally renewed earlier. */
const soonMs = 14 * 86_400_000;
const maxItems = 50;
const maxNamed = 3;

export interface AttentionParts {
  readonly atMs: number;
  /** Time since the program started, in milliseconds. */
  readonly uptimeMs: number;
  readonly leadership: { readonly isElected: boolean; readonly leader: string };
  readonly controllers: readonly (ControllerNumbers & { readonly kinds: readonly DescribedResource[] })[];
  /** Caches, with errors that the viewer may see. */
  readonly caches: readonly CachedKindInspection[];
  readonly certificates: readonly { readonly name: string; readonly notAfter: string }[];
  readonly hasWebhooks: boolean;
  /** Result of the most recent check of the program's permissions. Undefined while the first check is running. */
  readonly permissions: PermissionsResponse | undefined;
  /** State of the shards. Undefined without sharding. */
  readonly shards: ShardsState | undefined;
  /** Items of the panels. */
  readonly panels: readonly AttentionItem[];
  /** Returns the time in milliseconds for which requests have been waiting while no reconcile has finished. */
  readonly waitedMs: (controller: string) => number;
  /** Returns some of a controller's rows in a state. Undefined if the viewer may not see them. */
  readonly rowsOf: (
    controller: string,
    state: QueueRow["state"],
    limit: number,
  ) => Promise<readonly QueueRow[] | undefined>;
}

/** Returns all items in a program that need a person's attention. */
export async function attention(parts: AttentionParts): Promise<Attention> {
  const items = [
    ...parts.caches.flatMap((cache) => ofCache(cache, parts)),
    ...(await Promise.all(parts.controllers.map((controller) => ofController(controller, parts)))).flat(),
    ...ofPermissions(parts.permissions),
    ...ofCertificates(parts),
    ...ofLeader(parts),
    ...ofShards(parts),
    ...parts.panels,
  ];
  const sorted = items.toSorted((a, b) => Number(a.tone === "warning") - Number(b.tone === "warning"));
  return { items: sorted.slice(0, maxItems), total: items.length };
}

function ofCache(cache: CachedKindInspection, { controllers, uptimeMs }: AttentionParts): AttentionItem[] {
  const { name, hasSynced, isUnserved, lastError, ageMs = Number.POSITIVE_INFINITY } = cache;
  const to = ["overview"];
  if (isUnserved) {
    const own = controllers.filter(({ kinds }) => kinds.some((kind) => isCacheOf(kind, cache)));
    const used = own.length > 0 ? `; needed by ${listed(own.map((one) => one.name))}` : "";
    return [{ tone: "bad", to, text: `The API server does not serve ${name}: install its CRD${used}` }];
  }
  const error = lastError === undefined ? "" : `: ${lastError}`;
  if (!hasSynced)
    return uptimeMs > startMs || error
      ? [{ tone: "bad", to, text: `The cache for ${name} has not synced${error}` }]
      : [];
  if (ageMs > deadMs || (error && ageMs > interruptedMs))
    return [{ tone: "bad", to, text: `The watch on ${name} has received nothing for ${durationText(ageMs)}${error}` }];
  return [];
}

async function ofController(controller: AttentionParts["controllers"][number], parts: AttentionParts) {
  const { name, failing, gaveUp, hung, paused, unsynced, hasStarted, queueLength, p99Ms, kinds } = controller;
  const items: AttentionItem[] = [];
  const rows = (state: QueueRow["state"]) => parts.rowsOf(name, state, maxNamed);
  const isExplained = parts.caches.some((cache) => cache.isUnserved && kinds.some((kind) => isCacheOf(kind, cache)));
  if (unsynced.length > 0 && (parts.uptimeMs > startMs || isExplained)) {
    const text = `${name} does not reconcile, because it is waiting for ${listed(unsynced)}`;
    items.push({ tone: "bad", to: ["controllers", name], text });
  }
  if (hung > 0) {
    const usual = p99Ms === undefined ? "" : `; 99% take less than ${durationText(p99Ms)}`;
    const [longest] = (await rows("running")) ?? [];
    const what = longest ? `${longest.key} has been running for ${durationText(longest.forMs ?? 0)}` : "";
    const text = `${name}: ${counted(hung, "reconcile hangs", "reconciles hang")}${what && `; ${what}`}${usual}`;
    items.push({ tone: "bad", to: longest ? ["objects", name, longest.key] : ["controllers", name], text });
  } else if (hasStarted && queueLength > 0 && parts.waitedMs(name) >= stuckMs) {
    const text = `${name} is stuck: ${counted(queueLength, "request waits", "requests wait")}, and no reconcile has ended for ${durationText(parts.waitedMs(name))}`;
    items.push({ tone: "bad", to: ["controllers", name], text });
  }
  if (failing > 0) items.push(ofFailures(name, failing, gaveUp, await rows("failing")));
  if (paused > 0) {
    const keys = (await rows("paused"))?.map(({ key }) => key) ?? [];
    const named = keys.length > 0 ? `: ${listed(keys)}` : "";
    const text = `${name}: ${counted(paused, "object is paused", "objects are paused")}${named}`;
    items.push({ tone: "warning", to: ["controllers", name, "paused"], text });
  }
  return items;
}

function ofFailures(
  name: string,
  failing: number,
  gaveUp: number,
  rows: readonly QueueRow[] | undefined,
): AttentionItem {
  const [first] = rows ?? [];
  const error = first?.failure ? `; ${first.key}: ${redactedText(first.failure.error)}` : "";
  const finally_ = gaveUp > 0 ? `, ${gaveUp} of them not retried` : "";
  const text = `${name}: ${counted(failing, "object fails", "objects fail")}${finally_}${error}`;
  const isOne = failing === 1 && first;
  return { tone: "bad", to: isOne ? ["objects", name, first.key] : ["controllers", name, "failing"], text };
}

function ofPermissions(permissions: PermissionsResponse | undefined): AttentionItem[] {
  const missing = permissions?.checked.filter(({ isAllowed }) => isAllowed === false) ?? [];
  if (missing.length === 0) return [];
  const names = missing.map(({ verb, resource, group }) => `${verb} ${resource}${group ? `.${group}` : ""}`);
  const text = `The program lacks ${counted(missing.length, "permission", "permissions")}: ${listed(names)}`;
  return [{ tone: "bad", to: ["rbac"], text }];
}

function ofCertificates({ certificates, hasWebhooks, atMs, uptimeMs }: AttentionParts): AttentionItem[] {
  const to = ["overview"];
  if (certificates.length === 0)
    return hasWebhooks && uptimeMs > startMs ? [{ tone: "warning", to, text: "The webhooks have no certificate" }] : [];
  return certificates.flatMap(({ name, notAfter }): AttentionItem[] => {
    const leftMs = Date.parse(notAfter) - atMs;
    if (leftMs <= 0) return [{ tone: "bad", to, text: `The certificate of ${name} has expired` }];
    if (leftMs >= soonMs) return [];
    return [{ tone: "warning", to, text: `The certificate of ${name} expires in ${durationText(leftMs)}` }];
  });
}

function ofLeader({ leadership, uptimeMs }: AttentionParts): AttentionItem[] {
  if (!leadership.isElected || leadership.leader || uptimeMs <= startMs) return [];
  return [{ tone: "bad", to: ["overview"], text: "No replica is the leader" }];
}

/** Reports shards that are not worked on. All of this is unknown until the Leases have been read. */
function ofShards({ shards, uptimeMs }: AttentionParts): AttentionItem[] {
  if (shards?.listedMs === undefined) return [];
  const to = ["shards"];
  // Without the Leases, the state of the other replicas is unknown.
  if (shards.error !== undefined && shards.listedMs > interruptedMs) {
    const forText = durationText(shards.listedMs);
    return [{ tone: "bad", to, text: `The Leases of the shards have not been read for ${forText}: ${shards.error}` }];
  }
  const free = shards.shards.filter(
    ({ state, forMs = uptimeMs }) => (state === "free" || state === "acquiring") && forMs > startMs,
  );
  const stuck = shards.shards.filter(({ state, forMs = 0 }) => state === "releasing" && forMs > stuckMs);
  const numbers = listed(free.map(({ shard }) => String(shard)));
  return [
    ...(free.length > 0 ? [{ tone: "bad" as const, to, text: `No replica processes the shards: ${numbers}` }] : []),
    ...stuck.map(({ shard, running, forMs = 0, next = "another replica" }) => {
      const what = counted(running, "reconcile has", "reconciles have");
      const text = `Shard ${shard} does not move to ${next}, because ${what} not ended for ${durationText(forMs)}`;
      return { tone: "warning" as const, to, text };
    }),
  ];
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

function listed(names: readonly string[]): string {
  const more = names.length - maxNamed;
  return `${names.slice(0, maxNamed).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
