import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { setImmediate as turn } from "node:timers/promises";
import type { Heap, Usage } from "./spec.ts";

/** Measures the resources that this process uses between two moments. */
export class UsageMeter {
  #cpu = process.cpuUsage();
  #startedMs = performance.now();

  start(): void {
    forgetPeak();
    this.#cpu = process.cpuUsage();
    this.#startedMs = performance.now();
  }

  read(): Usage {
    const { user, system } = process.cpuUsage(this.#cpu);
    return { cpuMicros: user + system, wallMs: performance.now() - this.#startedMs, peakRssBytes: peakRss() };
  }
}

/** Returns the size of the live heap, including external memory, after two garbage collections. */
export async function heapNow(): Promise<Heap> {
  if (!globalThis.gc) throw new Error("start this process with --expose-gc");
  for (let i = 0; i < 2; i++) {
    await turn();
    globalThis.gc();
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  return { heapBytes: heapUsed + external, rssBytes: rss };
}

/** On Linux, resets the peak resident size; on other systems, it remains the peak of the whole run. */
function forgetPeak(): void {
  if (process.platform === "linux") writeFileSync("/proc/self/clear_refs", "5");
}

function peakRss(): number {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS * 1024;
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kib) * 1024;
}
