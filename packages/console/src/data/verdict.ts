import type { CachedObjectInspection } from "@kubewright/cache";
import type { ControllerInspection, QueueRow } from "@kubewright/controller";
import { durationText } from "./duration.ts";
import { redactedText } from "./redacted.ts";
import type { ShardState } from "./shards.ts";

/** One sentence that explains why an object is or is not reconciled. */
export interface Verdict {
  readonly tone: "good" | "warning" | "bad" | "neutral";
  readonly text: string;
}

export interface VerdictParts {
  readonly key: string;
  /** Kind of the objects, such as `Site.example.com`. */
  readonly kind: string;
  readonly nowMs: number;
  /** The controller's state, with the key's row in the queue, if any, and the key's known state. */
  readonly state: ControllerInspection;
  readonly cached: CachedObjectInspection;
  /** True if the API server does not serve the kind. */
  readonly isUnserved: boolean;
  /** Name of the replica that runs the controller. Undefined if this process runs it. */
  readonly leader: string | undefined;
  /** The object's shard. Undefined if the controller is not sharded. */
  readonly shard: ShardState | undefined;
  /** True if the viewer may see the key that blocks this one. */
  readonly maySeeBlocking: boolean;
}

/** Explains why an object is or is not reconciled. Returns the first reason that applies. */
export function verdictOf(parts: VerdictParts): Verdict {
  return ofController(parts) ?? ofQueue(parts) ?? ofObject(parts);
}

/** Returns the reason if the controller cannot reconcile any object, or none of the object's namespace. */
function ofController(parts: VerdictParts): Verdict | undefined {
  const { kind, key, state, cached, isUnserved, leader } = parts;
  if (isUnserved)
    return {
      tone: "bad",
      text: `The API server does not serve ${kind}, so no object of this kind exists. Install its CRD.`,
    };
  if (leader !== undefined) {
    const text = leader ? `the leader ${leader}` : "the next leader; currently, there is none";
    return { tone: "neutral", text: `Owned by another replica: ${text}` };
  }
  if (!state.hasStarted) return { tone: "warning", text: "The controller has not started" };
  if (state.unsynced.length > 0)
    return {
      tone: "bad",
      text: `The controller reconciles nothing yet, because it is waiting for ${state.unsynced.join(", ")}`,
    };
  if (cached.state !== "outside") return ofShard(parts);
  const namespace = key.split("/")[0] ?? "";
  const only = cached.namespaces.slice(0, 5).join(", ");
  return { tone: "warning", text: `The namespace ${namespace} is not cached: the program watches only ${only}` };
}

/** Returns the reason if this replica does not work on the object's shard. A reconcile that is still in progress is reported first. */
function ofShard({ shard: found, state, key }: VerdictParts): Verdict | undefined {
  if (!found || found.state === "held") return undefined;
  if (state.queue?.rows.some((row) => row.key === key && row.state === "running")) return undefined;
  const { shard, holder, next, running, forMs } = found;
  const time = forMs === undefined ? "" : ` for ${durationText(Math.max(0, forMs))}`;
  switch (found.state) {
    case "elsewhere":
      return { tone: "neutral", text: `Owned by another replica: ${holder} holds its shard ${shard}` };
    case "releasing": {
      const waits = running > 0 ? `, and waits for ${running} ${running === 1 ? "reconcile" : "reconciles"}` : "";
      const to = next ?? "another replica";
      return { tone: "warning", text: `Not reconciled: its shard ${shard} has been moving to ${to}${time}${waits}` };
    }
    case "acquiring":
      return { tone: "warning", text: `Not reconciled yet: this replica has been acquiring its shard ${shard}${time}` };
    case "free":
      return { tone: "warning", text: `Not reconciled: no replica has held its shard ${shard}${time}` };
  }
}

/** Returns the reason if the key is in the queue, running, held back, paused or failing. */
function ofQueue(parts: VerdictParts): Verdict | undefined {
  const { state, maySeeBlocking } = parts;
  const row = state.queue?.rows.find(({ key }) => key === parts.key);
  const time = row?.forMs === undefined ? undefined : durationText(Math.max(0, row.forMs));
  switch (row?.state) {
    case undefined:
      return state.queue?.isWhole === false
        ? { tone: "neutral", text: "Unknown: the queue contains too many requests to find this one" }
        : undefined;
    case "running": {
      const paused = row.pausedBy === undefined ? "" : `, then paused by ${row.pausedBy}`;
      if ((row.forMs ?? 0) <= state.hungAfterMs)
        return { tone: "good", text: `Its reconcile has been running for ${time}${paused}` };
      const usual = state.p99Ms === undefined ? "" : `: 99% of reconciles take less than ${durationText(state.p99Ms)}`;
      return { tone: "bad", text: `Hangs: its reconcile has been running for ${time}${usual}` };
    }
    case "paused":
      return { tone: "warning", text: `Paused by ${row.pausedBy} ${time} ago` };
    case "held":
      return { tone: "warning", text: `Waiting until the cache shows its own writes: ${row.unseen?.join(", ")}` };
    case "failing":
      return { tone: "bad", text: ofFailure(row, parts) };
    case "delayed":
      return { tone: "neutral", text: `Due in ${time}${lastText(parts, "; reconciled")}` };
    case "ready": {
      const { blockedBy } = state.about ?? {};
      if (!blockedBy) return { tone: "neutral", text: time ? `Waiting for ${time}` : "Waiting for a free worker" };
      const other = maySeeBlocking ? blockedBy.key : "another object";
      const forText = durationText(blockedBy.forMs);
      return { tone: "warning", text: `Waiting behind ${other}, which has been running for ${forText}` };
    }
  }
}

function ofFailure({ failure, forMs }: QueueRow, { nowMs, cached }: VerdictParts): string {
  const { error = "", times = 1, sinceMs = nowMs, lastMs = nowMs, isTerminal } = failure ?? {};
  const deleting = cached.state === "present" && cached.deletionTimestamp ? `. ${deletionText(cached, nowMs)}` : "";
  const why = `${redactedText(error)}${deleting}`;
  if (isTerminal && forMs === undefined)
    return `Gave up ${durationText(nowMs - lastMs)} ago (terminal error), waiting for a change: ${why}`;
  const next = forMs === undefined ? "next in the queue" : `retried in ${durationText(Math.max(0, forMs))}`;
  const often =
    times > 1 ? `${times} times in ${durationText(nowMs - sinceMs)}` : `${durationText(nowMs - lastMs)} ago`;
  return `Failed ${often}, ${next}: ${why}`;
}

/** Returns the state of an object that the controller has nothing to do for. */
function ofObject(parts: VerdictParts): Verdict {
  const { cached, state, nowMs } = parts;
  const { last, dropped } = state.about ?? {};
  const { tone, text } = ofLast(parts);
  if (cached.state === "present") {
    if (cached.deletionTimestamp)
      return { tone: "warning", text: `${deletionText(cached, nowMs)}${lastText(parts, "; reconciled")}` };
    if (!dropped) return { tone, text: last ? text : `Exists, but ${text}` };
    const version = dropped.resourceVersion === undefined ? "" : `resource version ${dropped.resourceVersion} `;
    const why = `${version}was dropped by the predicate ${dropped.predicate} ${durationText(nowMs - dropped.atMs)} ago`;
    return last
      ? { tone, text: `${text}; ${version ? why : `an update ${why}`}` }
      : { tone, text: `Not reconciled: ${version ? why : `its event ${why}`}` };
  }
  if (cached.state !== "absent") {
    const not = cached.state === "unsynced" ? "Its kind's cache has not synced." : "Its kind is not cached.";
    return { tone, text: last ? text : `The object ${text}. ${not}` };
  }
  // Only an object that existed can have caused a reconcile.
  const known = last?.resourceVersion === undefined ? "Does not exist" : "Deleted";
  const missing = cached.hasSelector ? "Does not exist, or does not match the cache's selector" : known;
  return { tone: "neutral", text: last ? `${missing}${lastText(parts, "; last reconciled")}` : `${missing}; ${text}` };
}

/** Returns the outcome of the last reconcile. */
function ofLast(parts: VerdictParts): Verdict {
  const { last, isIncomplete } = parts.state.about ?? {};
  if (last) return { tone: last.result === "error" ? "bad" : "good", text: lastText(parts, "Reconciled") };
  const since = isIncomplete ? "recently (older reconciles are not recorded)" : "since the program started";
  return { tone: "neutral", text: `has not been reconciled ${since}` };
}

function deletionText(cached: CachedObjectInspection & { readonly state: "present" }, nowMs: number): string {
  const { deletionTimestamp = "", finalizers } = cached;
  const forText = durationText(Math.max(0, nowMs - Date.parse(deletionTimestamp)));
  const names = finalizers.slice(0, 5).join(", ");
  return names ? `Deleting for ${forText}, waiting for the finalizer ${names}` : `Deleting for ${forText}`;
}

/** Returns when and at which version the last reconcile ended, or an empty text. */
function lastText({ state, nowMs }: VerdictParts, success: string): string {
  const { last } = state.about ?? {};
  if (!last) return "";
  const verb =
    last.result === "error" ? success.replace(/reconciled/, "failed").replace(/^Reconciled/, "Failed") : success;
  const at = last.resourceVersion === undefined ? "" : ` at resource version ${last.resourceVersion}`;
  return `${verb}${at} ${durationText(Math.max(0, nowMs - last.atMs))} ago`;
}
