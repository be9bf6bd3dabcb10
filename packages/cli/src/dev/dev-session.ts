import type { Unstructured } from "@kubewright/apimachinery";
import { applyManifests, parseManifests } from "@kubewright/client/apply";
import { systemRandom } from "@kubewright/clock";
import { findLocalHost, type LocalHost, type LocalHostOptions } from "@kubewright/webhook/local";
import { refuseUnserved } from "../cluster/dead-conversion.ts";
import { CommandError, UsageError } from "../command/errors.ts";
import { onOneLine, printable } from "../command/printable.ts";
import { type DescribedProgram, describeProgram } from "../generate/describe-program.ts";
import { definitionFiles } from "../generate/generate.ts";
import type { Io } from "../process/io.ts";
import type { Project } from "../project/project.ts";
import type { DevCluster } from "./dev-cluster.ts";
import { convertedHere, localConfigurations } from "./local-webhooks.ts";
import { consoleEnv, recordEnv, type WantedRecording } from "./program-env.ts";
import { ProgramProcess } from "./program-process.ts";
import { WebhookHost } from "./webhook-host.ts";

export interface DevSessionOptions {
  readonly project: Project;
  readonly cluster: DevCluster;
  readonly io: Io;
  /** Webhook settings: `host` is the value of `--host`. If undefined, API servers do not call the program's webhooks. */
  readonly webhooks?: { readonly host?: string | undefined } | undefined;
  /** Additional flags for the program. */
  readonly args: readonly string[];
  /** Debugger address, as in the options for `ProgramProcess`. */
  readonly inspect?: string | undefined;
  /** Console port. If undefined, there is no console. */
  readonly console?: string | undefined;
  /** Recording of the program's reconciles. If undefined, nothing is recorded. */
  readonly record?: WantedRecording | undefined;
  /** This session's temporary folder. */
  readonly folder: string;
}

const entry = "src/operator.ts";
const main = "src/main.ts";

/** Development session for one program: installs its CRDs and webhooks in a cluster, and runs the program. */
export class DevSession implements AsyncDisposable {
  readonly #options: DevSessionOptions;
  /** JSON text of the most recently applied CRDs, keyed by name. */
  readonly #definitions = new Map<string, string>();
  /** Session secret that keeps browsers signed in while the program restarts. */
  readonly #consoleSession = systemRandom.bytes(32).toString("base64url");
  #host: WebhookHost | undefined;
  #running: ProgramProcess | undefined;

  constructor(options: DevSessionOptions) {
    this.#options = options;
  }

  /**
   * Installs the current program and restarts it. If the current program is broken, prints the error and leaves the earlier program
   * running.
   */
  async update(signal: AbortSignal): Promise<void> {
    const { project, io } = this.#options;
    try {
      const program = await describeProgram(project.root, entry, { signal, err: io.err });
      const definitions = definitionFiles(program);
      const host = await this.#hostFor(program);
      await this.#install(definitions, host, signal);
      if (this.#options.webhooks) await host?.show(localConfigurations(program.webhookConfigurations));
      if (!signal.aborted) await this.#restart(host);
    } catch (error) {
      if (signal.aborted) return;
      // A file may be missing for a moment, for example while switching branches.
      const isForNow = error instanceof CommandError || (this.#running !== undefined && error instanceof UsageError);
      if (!isForNow) throw error;
      const next = this.#running ? "the earlier program keeps running" : "waiting for the next save";
      io.err(`${printable(error.message)}\n  ${next}\n`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running?.stop();
    await this.#host?.[Symbol.asyncDispose]();
  }

  async #restart(host: WebhookHost | undefined): Promise<void> {
    const { project, cluster, io, inspect, console, record, args } = this.#options;
    await this.#running?.stop();
    const shown = console === undefined ? {} : consoleEnv({ port: console, session: this.#consoleSession });
    const recorded = record ? recordEnv(record) : {};
    const env = { ...io.env, KUBECONFIG: cluster.kubeconfig, ...shown, ...recorded };
    const running = new ProgramProcess({
      ...{ root: project.root, main, io, inspect, env },
      args: [...(host ? host.flags : []), ...args],
    });
    this.#running = running;
    io.out(`  ${main} started\n`);
    void running.ended.then(
      (how) => {
        if (how !== undefined) io.err(`  ${main} ${how}; waiting for the next save\n`);
      },
      (error: Error) => io.err(`  ${main}: ${error.message}\n`),
    );
  }

  /** Applies the CRDs that have changed since the last call. @throws {CommandError} if the cluster rejects a CRD */
  async #install(
    files: readonly { readonly path: string; readonly text: string }[],
    host: WebhookHost | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const { cluster, io } = this.#options;
    const { manifests } = joined(files.map(({ path, text }) => parseManifests(text, path)));
    const fresh = manifests
      .map(({ object, ...manifest }) => ({ ...manifest, object: this.#converted(object, host) }))
      .filter(({ object }) => this.#definitions.get(object.metadata.name) !== JSON.stringify(object));
    await refuseUnserved(
      cluster.client,
      fresh,
      "run npx kubewright deploy, which applies them with their conversion webhook, or pass --cluster embedded, where this machine converts",
    );
    const failures: string[] = [];
    for await (const { outcome, name, reason, object } of applyManifests(cluster.client, fresh, {
      force: true,
      signal,
    }))
      if (outcome === "failed") failures.push(`${name}: ${reason}`);
      else if (object) io.out(`  CRD ${object.metadata.name} installed\n`);
    if (failures.length > 0) throw new CommandError(failures);
    for (const { object } of fresh) this.#definitions.set(object.metadata.name, JSON.stringify(object));
  }

  /**
   * Returns the CRD for this session. On the embedded cluster, this machine converts the objects; on all other clusters, the deployed
   * program does.
   */
  #converted(definition: Unstructured, host: WebhookHost | undefined): Unstructured {
    const { cluster, webhooks } = this.#options;
    if (!host || !webhooks || cluster.context !== undefined) return definition;
    return { ...definition, ...convertedHere(definition, host.url, host.caBundle) };
  }

  /** Opens the webhook host as soon as the program has a webhook. With `--webhooks off`, the program still serves its webhooks. */
  async #hostFor(program: DescribedProgram): Promise<WebhookHost | undefined> {
    if (program.webhooks.length === 0 || this.#host) return this.#host;
    const { cluster, project, webhooks, io, folder } = this.#options;
    const { context = "", server, client } = cluster;
    const found = webhooks
      ? hostFor({ context, server, host: webhooks.host })
      : { host: "127.0.0.1", because: "webhooks are off" };
    const host = await WebhookHost.open({ client, name: project.name, host: found.host, folder, io });
    this.#host = host;
    if (!webhooks || cluster.context === undefined) return host;
    for (const name of await host.removeStale())
      io.out(`  removed ${onOneLine(name)}, which an earlier session left behind\n`);
    const problem = await host.probe();
    if (problem !== undefined)
      io.err(
        `  the API server cannot reach this machine at ${found.host} (${found.because}): ${onOneLine(problem)}\n  pass --host with a name that the API server can reach, or --webhooks off\n`,
      );
    const converted = program.webhooks.some(({ type }) => type === "conversion");
    if (converted)
      io.out(
        "  the deployed program keeps converting versions, because all users of a cluster share a CRD's conversion webhook\n",
      );
    return host;
  }
}

const joined = (parts: readonly ReturnType<typeof parseManifests>[]) => ({
  manifests: parts
    .flatMap(({ manifests }) => manifests)
    .filter(({ object }) => object.kind === "CustomResourceDefinition"),
});

/** Finds the host at which the API server can reach this machine. @throws {UsageError} if the host cannot be detected */
function hostFor(options: LocalHostOptions): LocalHost {
  try {
    return findLocalHost(options);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
