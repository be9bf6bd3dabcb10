import { isNoMatch, isRecord, type Unstructured } from "@kubewright/apimachinery";
import { Client, Connection } from "@kubewright/client";
import { applyManifests } from "@kubewright/client/apply";
import type { Clock } from "@kubewright/clock";
import { silentLogger } from "@kubewright/log";
import type { Handle } from "../cluster/api-call.ts";
import type { Answer } from "../cluster/cluster-object.ts";
import { PlanError, type PlannedManifest } from "./plan-report.ts";

/** The user as which a plan writes to the copy of a cluster. */
export const admin = { name: "plan", groups: ["system:masters"] };

export interface ApplyOptions {
  readonly clock: Clock;
  /** Returns why the copy does not serve a group, or undefined if the reason is not known. */
  readonly explain: (group: string) => Promise<string | undefined>;
  /** Called with each object, as the server returned it, and its source after the object has been applied. */
  readonly onApplied: (source: string, object: Unstructured) => void;
}

/** Applies manifests to the copy of a cluster. @throws {PlanError} if the copy rejects an object */
export async function applyToCopy(
  handle: Handle,
  manifests: readonly PlannedManifest[],
  { clock, explain, onApplied }: ApplyOptions,
): Promise<void> {
  const connection = new Connection({ server: "https://plan.invalid", handle }, { clock, logger: silentLogger });
  const client = new Client({ connection, fieldOwner: "kubewright" });
  try {
    for await (const applied of applyManifests(client, manifests, { force: true, clock })) {
      const { outcome, name, reason, source, error } = applied;
      if (outcome === "failed") {
        const [, group = ""] = /^[^./]*\.([^/]+)\//.exec(name) ?? []; // such as deployment.apps/web in shop
        const cause = isNoMatch(error) ? await explain(group) : undefined;
        throw new PlanError("input", `${source}: ${name}: ${cause ?? reason}`, { cause: error });
      }
      if (applied.object) onApplied(source, applied.object);
    }
  } finally {
    await client.close();
    await connection.close();
  }
}

/** Returns the versions of a group that the copy serves, the preferred one first. */
export async function servedVersions(read: (path: string) => Promise<Answer>, group: string): Promise<string[]> {
  const { body } = await read(group === "" ? "/api" : `/apis/${group}`);
  const versions: readonly unknown[] = Array.isArray(body.versions) ? body.versions : [];
  return versions.map((each) => (isRecord(each) ? String(each.version) : String(each)));
}
