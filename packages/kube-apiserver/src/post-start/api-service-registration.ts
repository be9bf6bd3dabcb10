import { ignoreAlreadyExists, ignoreNotFound, jsonEqual, type Unstructured } from "@kubewright/apimachinery";
import type { ResourceScope } from "@kubewright/apiserver/endpoints";
import type { ReadonlyObject } from "@kubewright/apiserver/registry";
import type { GenericServer } from "@kubewright/apiserver/server";
import { serverContext } from "@kubewright/apiserver/server";
import { type Clock, rfc3339 } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import { groupPriorityLines } from "./group-priority-lines.ts";

const automanaged = "kube-aggregator.kubernetes.io/automanaged";

interface GroupPriority {
  readonly group: number;
  readonly versions: ReadonlyMap<string, number>;
}

const priorities: ReadonlyMap<string, GroupPriority> = new Map(
  groupPriorityLines
    .trim()
    .split("\n")
    .map((line) => {
      const [name = "", group, ...versions] = line.split(" ");
      const read = versions
        .map((version) => version.split(":"))
        .map(([of = "", value]) => [of, Number(value)] as const);
      return [name === "-" ? "" : name, { group: Number(group), versions: new Map(read) }] as const;
    }),
);

/**
 * Maintains an APIService for each group version that the server serves. For built-in groups, the APIServices exist from the start; for
 * CRDs, they are created and deleted together with the CRDs.
 *
 * @see kube-aggregator pkg/controllers/autoregister
 */
export class ApiServiceRegistration {
  readonly #services: ResourceScope | undefined;
  readonly #servers: readonly GenericServer[];
  readonly #clock: Clock;
  readonly #logger: Logger;
  #pending: Promise<void> = Promise.resolve();

  constructor(servers: readonly GenericServer[], clock: Clock, logger: Logger) {
    this.#servers = servers;
    this.#clock = clock;
    this.#logger = logger;
    this.#services = servers
      .map(({ resources }) => resources.find("apiregistration.k8s.io", "v1", "apiservices"))
      .find((scope) => scope !== undefined);
  }

  /** Registers the current group versions. Until the signal aborts, also registers all later changes to them. */
  async start(signal: AbortSignal): Promise<void> {
    for (const { group, version, isBuiltin } of this.#served()) if (isBuiltin) await this.#create(group, version, true);
    await this.#sync();
    for (const { resources } of this.#servers) {
      const stop = resources.onChange(() => {
        if (!signal.aborted) this.check();
      });
      signal.addEventListener("abort", stop, { once: true });
    }
  }

  /** Restores APIServices that someone else has deleted or changed. */
  check(): void {
    this.#pending = this.#pending.then(() => this.#sync()).catch((err) => this.#report(err));
  }

  /** Resolves once all changes that have been observed so far are registered. */
  async settled(): Promise<void> {
    await this.#pending;
  }

  #report(err: unknown): void {
    this.#logger.error({ err }, "cannot register APIServices for custom resources");
  }

  #served(): { readonly group: string; readonly version: string; readonly isBuiltin: boolean }[] {
    return this.#servers.flatMap(({ resources }) =>
      resources.groups().flatMap(({ group, versions }) =>
        versions
          .filter(() => group !== "apiregistration.k8s.io")
          .map(({ version, resources: each }) => ({
            group,
            version,
            isBuiltin: each.some(({ origin }) => origin === "builtin"),
          })),
      ),
    );
  }

  async #sync(): Promise<void> {
    const services = this.#services;
    if (!services) return;
    const custom = this.#served().filter(({ isBuiltin }) => !isBuiltin);
    const wanted = new Set(custom.map(({ group, version }) => `${version}.${group}`));
    const known = await services.objectsOf("apiregistration.k8s.io", "apiservices", "");
    const byName = new Map(known.map((object) => [object.metadata.name, object]));
    for (const { group, version } of custom) {
      const there = byName.get(`${version}.${group}`);
      if (!there) await this.#create(group, version, false);
      else if (there.metadata.labels?.[automanaged] === "true") await this.#restore(there, group, version);
    }
    for (const { metadata } of known)
      if (metadata.labels?.[automanaged] === "true" && !wanted.has(metadata.name))
        await services.store
          .delete(metadata.name, { dryRun: false }, serverContext(this.#clock, ""))
          .catch(ignoreNotFound);
  }

  async #restore(there: ReadonlyObject, group: string, version: string): Promise<void> {
    const { spec } = wantedService(group, version, false);
    if (jsonEqual(there.spec, spec)) return;
    const transform = (current: unknown): Unstructured => ({ ...structuredClone(current as Unstructured), spec });
    const written = { name: there.metadata.name, part: "main", transform } as const;
    await this.#services?.store.update(written, serverContext(this.#clock, "")).catch(ignoreNotFound);
  }

  async #create(group: string, version: string, isBuiltin: boolean): Promise<void> {
    const services = this.#services;
    if (!services) return;
    const object = wantedService(group, version, isBuiltin);
    const time = rfc3339(this.#clock.now());
    const written = { manager: "kube-apiserver", subresource: "", time, resetFields: [["status"]] };
    const owned = services.resource.fieldManager?.update(undefined, object, written) ?? object;
    await services.store.create(owned, serverContext(this.#clock, "")).catch(ignoreAlreadyExists);
  }
}

/** Returns the APIService for a group version that this server serves itself. */
function wantedService(group: string, version: string, isBuiltin: boolean): Unstructured {
  const known = isBuiltin ? priorities.get(group) : undefined;
  return {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `${version}.${group}`, labels: { [automanaged]: isBuiltin ? "onstart" : "true" } },
    spec: {
      ...(group === "" ? {} : { group }),
      version,
      groupPriorityMinimum: known?.group ?? 1_000,
      versionPriority: isBuiltin ? (known?.versions.get(version) ?? 15) : 100,
    },
  };
}
