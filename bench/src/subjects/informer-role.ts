import process from "node:process";
import { sentAnnotation } from "../feed/feed-object.ts";
import { median } from "../measure.ts";
import { type InformerSubject, type ReadPod, readPod } from "./informer-subject.ts";
import type { Heap, SubjectCommand, SubjectSpec, Usage } from "./spec.ts";
import { heapNow, UsageMeter } from "./usage-meter.ts";

/** Controls an informer by commands, and counts its events. */
export class InformerRole {
  readonly #spec: SubjectSpec & { readonly role: "informer" };
  readonly #subject: InformerSubject;
  readonly #meter = new UsageMeter();
  #read = 0;
  #added = 0;
  #updated = 0;
  #reached: { readonly added: number; readonly updated: number; resolve(): void } | undefined;
  #done: Promise<void> = Promise.resolve();
  #latencies: number[] | undefined;

  constructor(spec: SubjectSpec & { readonly role: "informer" }, subject: InformerSubject) {
    this.#spec = spec;
    this.#subject = subject;
  }

  async carryOut(command: SubjectCommand): Promise<Usage | Heap | { readonly read: number }> {
    const { objects, handlers } = this.#spec;
    switch (command.do) {
      case "sync":
        this.#meter.start();
        this.#until(objects * handlers, 0);
        await this.#subject.start(
          { added: (pod) => this.#onAdded(pod), updated: (pod) => this.#onUpdated(pod) },
          handlers,
        );
        return this.#finish();
      case "expect":
        this.#latencies = command.latency ? [] : undefined;
        this.#updated = 0;
        this.#until(this.#added, command.events * handlers);
        this.#meter.start();
        return { read: this.#read };
      case "await":
        return this.#finish();
      case "heap":
        return heapNow();
      case "read":
        for (const pod of this.#subject.objects()) this.#read += readPod(pod, "everything");
        return { read: this.#read };
      default:
        throw new Error(`an informer does not support "${command.do}"`);
    }
  }

  #until(added: number, updated: number): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#reached = { added, updated, resolve };
    this.#done = promise;
  }

  async #finish(): Promise<Usage> {
    await this.#done;
    const usage = this.#meter.read();
    return this.#latencies ? { ...usage, latencyP50Ms: median(this.#latencies) } : usage;
  }

  #onAdded(pod: ReadPod): void {
    this.#added += 1;
    this.#note(pod);
  }

  #onUpdated(pod: ReadPod): void {
    this.#updated += 1;
    this.#note(pod);
  }

  #note(pod: ReadPod): void {
    if (this.#latencies) {
      const sent = pod.metadata?.annotations?.[sentAnnotation] ?? "0";
      this.#latencies.push(Number(process.hrtime.bigint() - BigInt(sent)) / 1e6);
    }
    this.#read += readPod(pod, this.#spec.read);
    const reached = this.#reached;
    if (reached && this.#added >= reached.added && this.#updated >= reached.updated) reached.resolve();
  }
}
