import type { ConnectionSettings } from "@kubewright/client";
import { createLogger } from "@kubewright/log";
import { type OperatorOptions, runOperator } from "sdewan-operator";

/** The operator in this process. */
export class RunningOperator {
  /** All its log lines, at level `trace`. */
  readonly log: string[];
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(connection: ConnectionSettings, options: Omit<OperatorOptions, "connection" | "logger">, log: string[]) {
    this.log = log;
    const logger = createLogger({ level: "trace", destination: { write: (line) => void log.push(line) } });
    this.#ended = runOperator({ connection, metricsBindAddress: "0", logger, ...options }, this.#stop.signal);
    this.#ended.catch(() => {}); // `stop` reports it
  }

  /** @throws the error that ended it early */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }
}
