import type { DeepReadonly } from "@kubewright/apimachinery";
import type { Pod } from "@kubewright/client/kinds";
import type { Clock } from "@kubewright/clock";
import { ContainerProbes, type ProbeKind } from "./container-probes.ts";
import type { ContainerRun } from "./container-run.ts";
import type { RunningContainer } from "./image-registry.ts";
import type { Probe, ProbeResult } from "./probe.ts";

type Container = DeepReadonly<Pod>["spec"]["containers"][number];

export interface PodProbesOptions {
  readonly pod: DeepReadonly<Pod>;
  readonly clock: Clock;
  onResult(container: string, kind: ProbeKind, answer: ProbeResult): void;
  onChange(): void;
  onDead(container: string, kind: ProbeKind): void;
}

/** Runs the probes of all containers in a pod. */
export class PodProbes {
  readonly #options: PodProbesOptions;
  readonly #containers: ReadonlyMap<string, Container>;
  readonly #running = new Map<string, { readonly since: string; readonly probes: ContainerProbes }>();

  constructor(options: PodProbesOptions) {
    this.#options = options;
    const { containers, initContainers = [] } = options.pod.spec;
    this.#containers = new Map([...initContainers, ...containers].map((each) => [each.name, each]));
  }

  /** True if the container has passed its startup probe. */
  isStarted(container: string): boolean {
    return this.#running.get(container)?.probes.isStarted ?? true;
  }

  isReady(container: string): boolean {
    return this.#running.get(container)?.probes.isReady ?? true;
  }

  /** Starts probing a container when a run of it starts, and stops when the run ends. Call it after every state change. */
  follow(container: string, run: ContainerRun): void {
    const { state } = run;
    const before = this.#running.get(container);
    const since = state.phase === "running" ? `${run.restartCount} ${state.startedAt}` : undefined;
    if (before?.since === since) return;
    before?.probes.end();
    this.#running.delete(container);
    const spec = this.#containers.get(container);
    if (since === undefined || !spec) return;
    const probes = this.#probesOf(spec, run);
    this.#running.set(container, { since, probes });
    probes.begin();
  }

  end(): void {
    for (const { probes } of this.#running.values()) probes.end();
  }

  #probesOf(container: Container, run: ContainerRun): ContainerProbes {
    const { clock, onResult, onChange, onDead } = this.#options;
    const { name, startupProbe, livenessProbe, readinessProbe } = container;
    return new ContainerProbes({
      clock,
      probes: {
        ...(startupProbe ? { startup: startupProbe } : {}),
        ...(livenessProbe ? { liveness: livenessProbe } : {}),
        ...(readinessProbe ? { readiness: readinessProbe } : {}),
      },
      ask: (probe) => this.#resultOf(run.running, probe),
      onResult: (kind, answer) => onResult(name, kind, answer),
      onChange,
      onDead: (kind) => onDead(name, kind),
    });
  }

  /** Runs a probe against a running container. The probe fails if it does not return a result before its timeout. */
  #resultOf(running: RunningContainer | undefined, probe: Probe): ProbeResult | Promise<ProbeResult> {
    if (!running?.probe) return { isGood: true };
    const timeout = new AbortController();
    const timer = this.#options.clock.after((probe.timeoutSeconds ?? 1) * 1_000, () => timeout.abort());
    return running
      .probe(probe, timeout.signal)
      .catch((error: unknown) => ({ isGood: false, message: error instanceof Error ? error.message : String(error) }))
      .finally(() => timer.cancel());
  }
}
