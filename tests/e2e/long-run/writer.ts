import { setTimeout as sleep } from "node:timers/promises";
import { type DeepReadonly, isConflict, isNotFound, isStatusError } from "@kubewright/apimachinery";
import type { Client } from "@kubewright/client";
import type { SeededRandom } from "@kubewright/clock/testing";
import { mutableCopy } from "kubewright";
import type { Spec } from "../harness/rules.ts";
import { isWithin } from "./is-within.ts";
import { deletion, type Effects } from "./latencies.ts";
import { cronJobTemplate, operatorTemplates, type Template, type WrittenObject } from "./templates.ts";

/** An object that the clients created, with the last spec that the server acknowledged. */
export interface Written {
  readonly template: Template;
  readonly namespace: string;
  readonly name: string;
  /** Undefined once its deletion was acknowledged, and until its creation is. */
  spec: Spec | undefined;
  /** True while a write to it is in progress or its result is not known yet. */
  isBusy: boolean;
  /** Time of the last change that the server acknowledged. */
  changedAt: string;
}

/** Where the clients create objects of the operator. */
export interface Site {
  readonly namespace: string;
  readonly purpose: string;
}

export interface WriterOptions {
  readonly client: Client;
  readonly effects: Effects;
  readonly random: SeededRandom;
  readonly sites: readonly Site[];
  /** Namespace of the CronJobs. */
  readonly cronJobs: string;
  /** Number of the operator's resources to keep. */
  readonly resources: number;
  readonly perSecond: number;
  /** True while the server is stopped or starts. */
  readonly isServerDown: () => boolean;
}

/** Number of CronJobs to keep. */
const cronJobCount = 20;
/** Maximum number of writes in progress. */
const maxInFlight = 200;
/** Number of times that a client repeats an update after a conflict. */
const conflictRetries = 5;
const timeoutMs = 30_000;

/** Clients that write at a steady pace, and record what the server acknowledged. */
export class Writer {
  readonly all: Written[] = [];
  /** Attempts by outcome. */
  readonly counts = { attempts: 0, acknowledged: 0, refused: 0, conflicts: 0, whileDown: 0, failed: 0 };
  /** Number of each error that a user would see, by message. */
  readonly errors = new Map<string, number>();
  /** Violations found while writing: writes without validation, lost writes. */
  readonly problems: string[] = [];
  readonly #options: WriterOptions;
  readonly #inFlight = new Set<Promise<void>>();
  #serial = 0;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Returns the existing objects of the operator, or the CronJobs. */
  existing(isCronJob: boolean): readonly Written[] {
    return this.all.filter(({ template, spec }) => spec !== undefined && (template === cronJobTemplate) === isCronJob);
  }

  /** Creates the objects with which the run begins. */
  async fill(): Promise<void> {
    const { resources } = this.#options;
    const creations = [
      ...Array.from({ length: resources }, (_, i) => () => this.#create(operatorTemplate(i), i)),
      ...Array.from({ length: cronJobCount }, (_, i) => () => this.#create(cronJobTemplate, i)),
    ];
    const next = async (): Promise<void> => {
      for (let create = creations.pop(); create; create = creations.pop()) await create();
    };
    await Promise.all(Array.from({ length: 10 }, next));
  }

  /** Writes until the signal aborts, and then until the result of every write is known. */
  async run(signal: AbortSignal): Promise<void> {
    const intervalMs = 1_000 / this.#options.perSecond;
    for (let due = performance.now(); !signal.aborted; due += intervalMs) {
      await sleep(Math.max(0, due - performance.now()));
      if (this.#inFlight.size >= maxInFlight) continue;
      const write = this.#write().finally(() => this.#inFlight.delete(write));
      this.#inFlight.add(write);
    }
    await Promise.all(this.#inFlight);
  }

  #write(): Promise<void> {
    const { random, resources } = this.#options;
    const dice = random.number();
    const isCronJob = random.number() < 0.1;
    if (dice < 0.1) return this.#writeRefused(isCronJob);
    const existing = this.existing(isCronJob);
    const idle = existing.filter(({ isBusy }) => !isBusy);
    const one = idle[random.integer(Math.max(1, idle.length))];
    if (dice < 0.5 && one) return this.#update(one);
    const isTooMany = existing.length > (isCronJob ? cronJobCount : resources);
    if (isTooMany && one) return this.#delete(one);
    const n = random.integer(1_000);
    return this.#create(isCronJob ? cronJobTemplate : operatorTemplate(n), n);
  }

  async #create(template: Template, place: number): Promise<void> {
    const n = ++this.#serial;
    const { client, cronJobs, sites } = this.#options;
    const isCronJob = template === cronJobTemplate;
    const site = sites[place % sites.length];
    const namespace = isCronJob ? cronJobs : (site?.namespace ?? "");
    const name = `${template.prefix}${n}`;
    const written: Written = { template, namespace, name, spec: undefined, isBusy: true, changedAt: "" };
    this.all.push(written);
    const labels = isCronJob ? {} : { sdewanPurpose: site?.purpose ?? "" };
    const metadata = { name, namespace, labels };
    const spec = template.spec(n);
    // Half of the CronJobs are created in the other version, which omits the fields that are "*".
    const isOther = isCronJob && n % 2 === 0;
    const kind = isOther ? { ...template.kind, version: "v2" } : template.kind;
    const sent = isOther ? { ...spec, schedule: {} } : spec;
    await this.#attempt(written, spec, async (signal) => {
      const created = await client.create(kind, { metadata, spec: sent }, { signal });
      if (isCronJob && !JSON.stringify(created.spec).includes("restartPolicy"))
        this.problems.push(`${name} was created without the defaults of its webhook`);
      return created;
    });
  }

  async #update(written: Written): Promise<void> {
    const n = ++this.#serial;
    const { client, random } = this.#options;
    const { template, namespace, name, spec: before } = written;
    const key = { namespace, name };
    const after = { ...template.spec(n), ...(template === cronJobTemplate ? { suspend: before?.suspend } : {}) };
    if (random.number() < 0.5) {
      const patch = [{ op: "replace" as const, path: "/spec", value: after }];
      return this.#attempt(written, after, (signal) =>
        client.patch(template.kind, key, patch, { type: "json", signal }),
      );
    }
    await this.#attempt(written, after, async (signal) => {
      for (let attempt = 0; ; attempt++) {
        const changed: WrittenObject = mutableCopy(await client.get(template.kind, key, { signal }));
        changed.spec = after;
        try {
          return await client.update(template.kind, changed, { signal });
        } catch (error) {
          if (!isConflict(error)) throw error;
          this.counts.conflicts++;
          if (attempt === conflictRetries) throw error;
        }
      }
    });
  }

  async #delete(written: Written): Promise<void> {
    const { template, namespace, name } = written;
    await this.#attempt(written, undefined, async (signal) => {
      await this.#options.client.delete(template.kind, { namespace, name }, { signal });
      return undefined;
    });
  }

  /** Makes a write, and records its result. Finds out the result of a write that failed without an answer. */
  async #attempt(
    written: Written,
    after: Spec | undefined,
    call: (signal: AbortSignal) => Promise<DeepReadonly<WrittenObject> | undefined>,
  ): Promise<void> {
    const before = written.spec;
    written.isBusy = true;
    this.counts.attempts++;
    const startedWhileDown = this.#options.isServerDown();
    const from = performance.now();
    try {
      const stored = await call(AbortSignal.timeout(timeoutMs));
      written.spec = after;
      written.changedAt = new Date().toISOString();
      this.counts.acknowledged++;
      if (hasVisibleEffect(written.template))
        this.#options.effects.expect(nameOf(written), stored?.metadata.generation ?? deletion, from);
    } catch (error) {
      this.#fail(error, startedWhileDown);
      if (isNotFound(error)) this.problems.push(`${nameOf(written)} was lost: ${error}`);
      else written.spec = await this.#settled(written, before, after);
    }
    written.isBusy = false;
  }

  /** Reads an object until the server answers, and returns the spec that it has: that before the failed write, or that after it. */
  async #settled(written: Written, before: Spec | undefined, after: Spec | undefined): Promise<Spec | undefined> {
    const { template, namespace, name } = written;
    for (;;) {
      await sleep(1_000);
      if (this.#options.isServerDown()) continue;
      try {
        const signal = AbortSignal.timeout(timeoutMs);
        const { metadata, spec } = await this.#options.client.get(template.kind, { namespace, name }, { signal });
        if (metadata.deletionTimestamp !== undefined && after === undefined) return after;
        if (after && isWithin(after, spec)) return after;
        if (before && isWithin(before, spec)) return before;
        this.problems.push(`${nameOf(written)} has a spec that nobody wrote: ${JSON.stringify(spec)}`);
        return after;
      } catch (error) {
        if (!isNotFound(error)) continue;
        if (after !== undefined && before !== undefined)
          this.problems.push(`${nameOf(written)} was lost after a failed update`);
        return undefined;
      }
    }
  }

  /** Sends a write that a webhook must refuse. */
  async #writeRefused(isCronJob: boolean): Promise<void> {
    const n = ++this.#serial;
    const { client, cronJobs, random } = this.#options;
    const idle = this.existing(isCronJob).filter(({ isBusy }) => !isBusy);
    const one = idle[random.integer(Math.max(1, idle.length))];
    const signal = AbortSignal.timeout(timeoutMs);
    const startedWhileDown = this.#options.isServerDown();
    this.counts.attempts++;
    let what = `the creation of the CronJob bad${n}, whose schedule is not valid,`;
    try {
      if (isCronJob || !one) {
        const metadata = { name: `bad${n}`, namespace: cronJobs };
        const spec = { ...cronJobTemplate.spec(n), schedule: "0 25 * * *" };
        await client.create(cronJobTemplate.kind, { metadata, spec }, { signal });
      } else {
        what = `another purpose of ${nameOf(one)}`;
        one.isBusy = true; // a deletion would change the answer
        const { namespace, name } = one;
        const patch = { metadata: { labels: { sdewanPurpose: "another" } } };
        await client
          .patch(one.template.kind, { namespace, name }, patch, { signal })
          .finally(() => (one.isBusy = false));
      }
      this.problems.push(`${what} was accepted without validation`);
    } catch (error) {
      if (isStatusError(error) && (error.code === 403 || error.code === 422)) this.counts.refused++;
      else this.#fail(error, startedWhileDown);
    }
  }

  #fail(error: unknown, startedWhileDown: boolean): void {
    if (startedWhileDown || this.#options.isServerDown()) {
      this.counts.whileDown++;
      return;
    }
    this.counts.failed++;
    const text = (error instanceof Error ? error.message : String(error))
      .replaceAll(/\b(fr|fz|nf|cn|cr|rr|mp|cs|cj|bad)\d+\b/g, "NAME")
      .replaceAll(/long-run-\d+/g, "NAMESPACE")
      .replaceAll(/(127\.0\.0\.1:)\d+/g, "$1PORT");
    this.errors.set(text, (this.errors.get(text) ?? 0) + 1);
  }
}

const operatorTemplate = (n: number): Template =>
  operatorTemplates[Math.floor(n / 10) % operatorTemplates.length] ?? cronJobTemplate;

/** Kind, namespace and name of an object. */
export const nameOf = ({ template, namespace, name }: Pick<Written, "template" | "namespace" | "name">): string =>
  `${template.kind.kind} ${namespace}/${name}`;

/** Reports whether the status of an object shows which generation is in force. That of composites and CronJobs does not. */
export const hasVisibleEffect = ({ kind }: Template): boolean => !["CNFService", "CronJob"].includes(kind.kind);
