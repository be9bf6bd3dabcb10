import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { exposeProcess } from "./process-metrics.ts";
import { type Distribution, type RequestCounters, type RequestShape, shapeLabels } from "./request-counters.ts";

/** The number of stored objects of a resource. */
export interface ObjectCount {
  readonly group: string;
  readonly resource: string;
  readonly count: number;
}

/** The number of seats of a priority level. */
export interface LevelSeats {
  readonly level: string;
  readonly seats: number;
}

/** Counters of upstream that always stay zero here. Upstream's tests check that they exist. */
const declarativeValidation = [
  ["mismatch", "How often declarative validation differed from handwritten validation: never"],
  ["panic", "How often declarative validation panicked: never"],
] as const;

/** Formats the request counters and process metrics as text for Prometheus. */
export class Exposition {
  readonly #registry = new Registry();

  /** Creates the metrics of a server. @param objectCounts called for each scrape, like `nominalSeats` */
  constructor(
    counters: RequestCounters,
    objectCounts: () => Promise<readonly ObjectCount[]>,
    nominalSeats: () => readonly LevelSeats[],
  ) {
    const registers = [this.#registry];
    const { inFlight } = counters;
    const shapes = (): RequestShape[] => [...counters.shapes.values()];
    exposeProcess(this.#registry);
    new Counter({
      name: "apiserver_request_total",
      help: "Requests by verb, dry run, group, version, resource, subresource, scope, component and status code",
      labelNames: [...shapeLabels, "code"],
      registers,
      collect() {
        this.reset();
        for (const { labels, byCode } of shapes())
          for (const [code, count] of byCode) this.inc({ ...labels, code: String(code) }, count);
      },
    });
    this.#registry.registerMetric(
      new Distributions(
        "apiserver_request_duration_seconds",
        "Time from the receipt of a request until its response was written, in seconds",
        () => shapes().map(({ labels, seconds }) => ({ labels, distribution: seconds })),
      ),
    );
    this.#registry.registerMetric(
      new Distributions("apiserver_response_sizes", "Size of responses to reads, in bytes", () =>
        shapes().flatMap(({ labels: { dry_run: _dryRun, ...labels }, bytes }) =>
          bytes ? [{ labels, distribution: bytes }] : [],
        ),
      ),
    );
    // this server has only one kind of validation, so there cannot be different results
    for (const [name, help] of declarativeValidation)
      new Counter({ name: `apiserver_validation_declarative_validation_${name}_total`, help, registers });
    new Gauge({
      name: "apiserver_longrunning_requests",
      help: "Watches in progress",
      labelNames: shapeLabels.filter((label) => label !== "dry_run"),
      registers,
      collect() {
        this.reset();
        for (const { labels, running, isLongRunning } of shapes()) {
          const { dry_run: _dryRun, ...shown } = labels;
          if (isLongRunning) this.set(shown, running);
        }
      },
    });
    new Gauge({
      name: "apiserver_current_inflight_requests",
      help: "Requests in progress, without watches",
      labelNames: ["request_kind"],
      registers,
      collect() {
        this.set({ request_kind: "mutating" }, inFlight.mutating);
        this.set({ request_kind: "readOnly" }, inFlight.readOnly);
      },
    });
    new Gauge({
      name: "apiserver_flowcontrol_nominal_limit_seats",
      help: "Nominal number of execution seats configured for each priority level",
      labelNames: ["priority_level"],
      registers,
      collect() {
        this.reset();
        for (const { level, seats } of nominalSeats()) this.set({ priority_level: level }, seats);
      },
    });
    new Gauge({
      name: "apiserver_resource_objects",
      help: "Stored objects by resource",
      labelNames: ["group", "resource"],
      registers,
      async collect() {
        this.reset();
        for (const { group, resource, count } of await objectCounts()) this.set({ group, resource }, count);
      },
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

interface Labelled {
  readonly labels: Readonly<Record<string, string>>;
  readonly distribution: Distribution;
}

type HistogramValues = Awaited<ReturnType<Histogram["get"]>>;

/** Histogram whose counts come from the server's own counters instead of the metrics library. */
class Distributions extends Histogram {
  readonly #name: string;
  /** Empty histogram. The library's output for it serves as a template. */
  readonly #empty: Histogram;
  readonly #read: () => readonly Labelled[];

  constructor(name: string, help: string, read: () => readonly Labelled[]) {
    super({ name, help, labelNames: [...shapeLabels], registers: [] });
    this.#name = name;
    this.#empty = new Histogram({ name, help, registers: [] });
    this.#read = read;
  }

  /**
   * Returns the values for the registry's text. The registry calls this method, which the library's type declarations do not
   * contain.
   */
  getForPromString(): Promise<HistogramValues> {
    return this.get();
  }

  override async get(): Promise<HistogramValues> {
    const values = this.#read().flatMap(({ labels, distribution }) => this.#valuesOf(labels, distribution));
    return { ...(await this.#empty.get()), values };
  }

  #valuesOf(
    labels: Readonly<Record<string, string>>,
    { bounds, counts, sum }: Distribution,
  ): HistogramValues["values"] {
    const name = this.#name;
    let total = 0;
    const buckets = counts.map((count, index) => {
      total += count;
      return { labels: { ...labels, le: bounds[index] ?? "+Inf" }, value: total, metricName: `${name}_bucket` };
    });
    return [
      ...buckets,
      { labels, value: sum, metricName: `${name}_sum` },
      { labels, value: total, metricName: `${name}_count` },
    ];
  }
}
