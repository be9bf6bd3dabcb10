import type { Client } from "@kubewright/client";
import { SelfSubjectAccessReview } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import { errorText } from "@kubewright/log";
import type { Manager } from "@kubewright/manager";
import type { ObjectAccess } from "@kubewright/manager/http";
import { rbacOf } from "@kubewright/rbac";

/** A permission that the program needs, and whether it is granted. */
export interface CheckedPermission {
  readonly role: string;
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly namespace: string;
  readonly names: readonly string[];
  /** Undefined if the check failed. */
  readonly isAllowed?: boolean | undefined;
}

export interface PermissionsResponse {
  readonly checked: readonly CheckedPermission[];
  /** Number of permissions that were not checked. */
  readonly left: number;
  readonly error?: string | undefined;
}

const most = 400;
const atOnce = 4;
const keptMs = 60_000;
const latestMs = 540_000;
const patienceMs = 20_000;
/** Matches the files with roles for the program's users. These roles do not apply to the program itself. */
const ofUsers = /_(admin|editor|viewer|reader)_role(_binding)?\.yaml$/;

export interface PermissionsOptions {
  readonly manager: Pick<Manager, "describe"> & { readonly unfenced: { readonly apiReader: Pick<Client, "create"> } };
  readonly clock: Clock;
  /** The program's namespace, which replaces `system` in the program's roles. */
  readonly namespace: string;
}

/**
 * Checks with the API server whether the program has the permissions in its generated roles. It checks only on request,
 * and at most once a minute.
 */
export class Permissions {
  readonly #options: PermissionsOptions;
  #kept: { readonly answer: Promise<PermissionsResponse>; readonly untilMs: number } | undefined;

  #latest: PermissionsResponse | undefined;

  constructor(options: PermissionsOptions) {
    this.#options = options;
  }

  answer(): Promise<PermissionsResponse> {
    const now = this.#options.clock.monotonic();
    if (!this.#kept || this.#kept.untilMs <= now) this.#kept = { answer: this.#check(), untilMs: now + keptMs };
    return this.#kept.answer;
  }

  /** Returns the most recent result, if any. If it is older than ten minutes, starts another check without waiting for it. */
  get latest(): PermissionsResponse | undefined {
    if ((this.#kept?.untilMs ?? 0) + latestMs <= this.#options.clock.monotonic() || !this.#kept)
      this.answer().catch(() => {}); // a later request for the answer rejects, too
    return this.#latest;
  }

  async #check(): Promise<PermissionsResponse> {
    const { manager, clock } = this.#options;
    const needed = this.#needed();
    const asked = needed.slice(0, most);
    const over = new AbortController();
    const timer = clock.after(patienceMs, () => over.abort());
    const checked: CheckedPermission[] = [];
    let error: string | undefined;
    const next = asked.values();
    const work = async (): Promise<void> => {
      for (const one of next) {
        if (over.signal.aborted || error !== undefined) checked.push(one);
        else
          await isAllowed(manager.unfenced.apiReader, one, over.signal).then(
            (allowed) => void checked.push({ ...one, isAllowed: allowed }),
            (failure: unknown) => {
              error ??= errorText(failure);
              checked.push(one);
            },
          );
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    timer.cancel();
    const left = needed.length - asked.length;
    this.#latest = { checked, left, ...(error === undefined ? {} : { error }) };
    return this.#latest;
  }

  #needed(): CheckedPermission[] {
    const needed: CheckedPermission[] = [];
    for (const [path, objects] of rbacOf(this.#options.manager.describe()).objects) {
      if (ofUsers.test(path)) continue;
      for (const { metadata, rules } of objects) {
        const namespace = metadata.namespace === "system" ? this.#options.namespace : (metadata.namespace ?? "");
        for (const rule of Array.isArray(rules) ? rules : []) needed.push(...eachOf(metadata.name, namespace, rule));
      }
    }
    return needed;
  }
}

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs?: readonly string[];
}

const eachOf = (role: string, namespace: string, rule: Rule): CheckedPermission[] =>
  (rule.apiGroups ?? []).flatMap((group) =>
    (rule.resources ?? []).flatMap((resource) =>
      (rule.verbs ?? []).map((verb) => ({ role, group, resource, verb, namespace, names: rule.resourceNames ?? [] })),
    ),
  );

/** Checks with the API server whether the program is allowed to access an object. */
export async function mayProgram(client: Pick<Client, "create">, access: ObjectAccess): Promise<boolean> {
  const { namespace, ...about } = access;
  const resourceAttributes = { ...about, ...(namespace ? { namespace } : {}) };
  const { status } = await client.create(SelfSubjectAccessReview, { metadata: {}, spec: { resourceAttributes } });
  return status?.allowed === true;
}

async function isAllowed(
  client: Pick<Client, "create">,
  { group, resource, verb, namespace, names }: CheckedPermission,
  signal: AbortSignal,
): Promise<boolean> {
  const [plural = "", subresource] = resource.split("/", 2);
  const about = {
    group,
    resource: plural,
    verb,
    ...(subresource ? { subresource } : {}),
    ...(namespace ? { namespace } : {}),
  };
  for (const name of names.length > 0 ? names : [""]) {
    const review = { metadata: {}, spec: { resourceAttributes: name ? { ...about, name } : about } };
    const { status } = await client.create(SelfSubjectAccessReview, review, { signal });
    if (status?.allowed !== true) return false;
  }
  return true;
}
