import type { Permission } from "@kubewright/apimachinery";
import type { Writer } from "@kubewright/client";
import { SelfSubjectAccessReview } from "@kubewright/client/kinds";
import { type Clock, untilAborted } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { controllerPermissions, type Grant, type Places, placedGrants, rulesOf } from "@kubewright/rbac";
import { rulesText } from "./refusals.ts";
import type { Runnable } from "./runnable.ts";

/** Timing options for the permission checks, which use SelfSubjectAccessReviews. */
export interface PreflightOptions {
  /** Interval at which missing permissions are checked again, in milliseconds. Default 30,000. */
  readonly intervalMs?: number | undefined;
}

interface PreflightParts extends PreflightOptions {
  readonly client: Pick<Writer, "create">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Describes the program and the permissions that it declares. Called at the start. */
  readonly describe: () => Places & { readonly permissions: readonly Permission[] };
}

/** Timeout for all reviews of one check. */
const timeoutMs = 10_000;

/** A part of the program that needs permissions. */
interface Subject {
  /** Name for messages, such as `controller site`. */
  readonly label: string;
  readonly needed: () => readonly NeededAccess[];
  readonly allowed: PromiseWithResolvers<void>;
  isReviewed: boolean;
  /** Missing permissions. Absent until they are known. */
  missing?: readonly NeededAccess[];
}

/**
 * Checks at startup whether the program has the permissions that it declares. A controller that lacks permissions
 * starts once they are granted; the other controllers start immediately. If the API server does not respond, all
 * controllers start.
 */
export class Preflight {
  readonly #parts: PreflightParts;
  readonly #subjects = new Set<Subject>();
  #signal: AbortSignal | undefined;

  constructor(parts: PreflightParts) {
    this.#parts = parts;
    const needed = (): NeededAccess[] => accessOf(parts.describe().permissions, parts.describe());
    this.#subjects.add({ label: "the program", needed, allowed: Promise.withResolvers(), isReviewed: false });
  }

  /** Runnable in the first group, so that the check has finished by the time the caches have synced. */
  get runnable(): Runnable {
    return { name: "preflight", group: "http", run: (signal) => this.#run(signal) };
  }

  /** Returns a runnable that starts the given one only when its controllers have their permissions. */
  guard(runnable: Runnable): Runnable {
    const { name, warmup, group = "leaderElection" } = runnable;
    if (!runnable.describe || runnable.ready || (group !== "leaderElection" && group !== "others")) return runnable;
    const subject: Subject = {
      label: `controller ${name ?? ""}`,
      needed: () => this.#accessOfControllers(runnable),
      allowed: Promise.withResolvers(),
      isReviewed: false,
    };
    this.#subjects.add(subject);
    const once = async (signal: AbortSignal, run: () => Promise<void>): Promise<void> => {
      if (!subject.isReviewed && this.#signal) void this.#review([subject], this.#signal);
      await Promise.race([subject.allowed.promise, untilAborted(signal)]);
      if (!signal.aborted) await run();
    };
    return {
      group,
      ...(name === undefined ? {} : { name }),
      run: (signal, stopping) => once(signal, () => runnable.run(signal, stopping)),
      ...(warmup ? { warmup: (signal, stopping) => once(signal, () => warmup.call(runnable, signal, stopping)) } : {}),
    };
  }

  /** Reports missing permissions. @throws {Error} with the missing permissions of each part */
  check(): void {
    const lacking = [...this.#subjects].flatMap(({ label, missing }) =>
      missing?.length ? `${label} lacks ${missing.map(accessText).join(", ")}` : [],
    );
    if (lacking.length > 0) throw new Error(lacking.join("; "));
  }

  async #run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    const { clock, intervalMs = 30_000 } = this.#parts;
    let reviewed = [...this.#subjects];
    while (!signal.aborted) {
      await this.#review(reviewed, signal);
      await clock.sleep(intervalMs, signal);
      reviewed = [...this.#subjects].filter(({ missing }) => missing?.length);
    }
  }

  async #review(subjects: readonly Subject[], signal: AbortSignal): Promise<void> {
    const { client, clock, logger } = this.#parts;
    for (const subject of subjects) subject.isReviewed = true;
    const limit = new AbortController();
    const timer = clock.after(timeoutMs, () => limit.abort(new Error(`no response within ${timeoutMs} ms`)));
    try {
      const needed = new Map(subjects.map((subject) => [subject, subject.needed()]));
      const all = [...needed.values()].flat();
      const missing = await missingAccess(client, all, AbortSignal.any([signal, limit.signal]));
      for (const [subject, own] of needed)
        this.#conclude(
          subject,
          own.filter((one) => missing.has(accessKey(one))),
        );
    } catch (err) {
      if (signal.aborted) return;
      // A permission known to be missing stays missing until the API server reports otherwise.
      const unknown = subjects.filter((one) => !one.missing?.length);
      if (unknown.length > 0)
        logger.warn({ err }, "failed to check this program's permissions; its controllers start anyway");
      for (const subject of unknown) this.#conclude(subject, []);
    } finally {
      timer.cancel();
    }
  }

  #conclude(subject: Subject, missing: readonly NeededAccess[]): void {
    const { logger } = this.#parts;
    const { label, missing: before } = subject;
    subject.missing = missing;
    if (missing.length === 0) {
      if (before?.length) logger.info({ of: label }, "the missing permissions were granted");
      subject.allowed.resolve();
      return;
    }
    const known = new Set(before?.map(accessKey));
    const fresh = missing.filter((one) => !known.has(accessKey(one)));
    for (const [namespace, own] of Map.groupBy(fresh, (one) => one.namespace))
      logger.warn(
        { of: label, ...(namespace === undefined ? {} : { namespace }), rule: rulesText(rulesOf(own)) },
        "this program's role lacks rules; controllers that need them start once they are granted",
      );
  }

  #accessOfControllers(runnable: Runnable): NeededAccess[] {
    const { controllers = [], permissions = [] } = runnable.describe?.() ?? {};
    if (controllers.length === 0) return [];
    const places = this.#parts.describe();
    return accessOf([...controllers.flatMap((one) => controllerPermissions(one, places)), ...permissions], places);
  }
}

const accessOf = (permissions: readonly Permission[], places: Places): NeededAccess[] =>
  [...placedGrants(permissions, places)].flatMap(([namespace, grants]) =>
    grants.map((grant) => ({ ...grant, ...(namespace === undefined ? {} : { namespace }) })),
  );

/** One verb on one resource that a program needs. */
interface NeededAccess extends Grant {
  /** Namespace of the resource. Absent for all namespaces and for cluster-scoped resources. */
  readonly namespace?: string | undefined;
}

/** Maximum number of concurrent reviews. */
const atOnce = 8;

/**
 * Queries the API server for the permissions that this program lacks. Each permission is reviewed once.
 *
 * @throws the API server's error if it does not support the review; the reason of `signal`
 */
async function missingAccess(
  client: Pick<Writer, "create">,
  needed: readonly NeededAccess[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const distinct = new Map(needed.map((one) => [accessKey(one), one]));
  const missing = new Set<string>();
  const left = distinct.entries(); // shared by the concurrent workers
  const review = async (): Promise<void> => {
    for (const [key, one] of left) if (!(await isAllowed(client, one, signal))) missing.add(key);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, distinct.size) }, review));
  return missing;
}

/** Returns a key that is equal for equal permissions. */
const accessKey = ({ group, resource, verb, name, namespace }: NeededAccess): string =>
  JSON.stringify([group, resource, verb, name, namespace]);

/** Describes a permission, for example as `get secrets in namespace shop`. */
function accessText({ group, resource, verb, name, namespace }: NeededAccess): string {
  const object = name === undefined ? "" : ` ${JSON.stringify(name)}`;
  return `${verb} ${resource}${group ? `.${group}` : ""}${object}${namespace === undefined ? "" : ` in namespace ${namespace}`}`;
}

async function isAllowed(
  client: Pick<Writer, "create">,
  { group, resource: named, verb, name, namespace }: NeededAccess,
  signal: AbortSignal,
): Promise<boolean> {
  const [resource = "", subresource] = named.split("/");
  const resourceAttributes = {
    group,
    resource,
    verb,
    ...(subresource === undefined ? {} : { subresource }),
    ...(name === undefined ? {} : { name }),
    ...(namespace === undefined ? {} : { namespace }),
  };
  const review = { metadata: {}, spec: { resourceAttributes } };
  const { status } = await client.create(SelfSubjectAccessReview, review, { signal });
  return status?.allowed === true;
}
