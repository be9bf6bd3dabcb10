import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, untilAborted } from "@kubewright/clock";
import type { Logger } from "@kubewright/log";
import type { FlightRecorder, FlightRecorderOptions } from "./flight-recorder.ts";

/** Options for recording reconciles in memory. */
export interface RecorderOptions extends Pick<FlightRecorderOptions, "maxBytes" | "redact"> {
  /** Folder in which recordings are saved. Default: the system's folder for temporary files. */
  readonly folder?: string | undefined;
}

/** Options for a {@link ReconcileRecording}. */
export interface ReconcileRecordingOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Name of the program. */
  readonly name: string;
  /** Absent if nothing is recorded unless a tool sets a recorder. */
  readonly recorder: RecorderOptions | undefined;
}

/**
 * Holds the recorder used by a manager's controllers. If the `recorder` option is set, it records while the manager
 * runs, and saves the recording when the process receives SIGUSR2 and after the first programming error in a
 * reconciler. A manager runs it as a `Runnable`; the recording code is loaded only then.
 */
export class ReconcileRecording {
  readonly name = "recorder";
  /** The group that starts first, so that the recorder exists before the first reconcile. */
  readonly group = "http";
  /** The recorder. Undefined if nothing is recorded. Tools such as `kubewright dev` may set it at any time. */
  recorder: FlightRecorder | undefined;
  readonly #options: ReconcileRecordingOptions;
  readonly #ready = Promise.withResolvers<void>();
  #hasPanicked = false;

  constructor(options: ReconcileRecordingOptions) {
    this.#options = options;
    this.#ready.promise.catch(() => {}); // `run` rejects with the same error
  }

  /** Resolves once reconciles are being recorded. */
  ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** Records until the signal aborts. @throws {RangeError} if an option is not valid */
  async run(signal: AbortSignal): Promise<void> {
    const { recorder, name } = this.#options;
    try {
      const { FlightRecorder } = await import("./flight-recorder.ts");
      this.recorder ??= new FlightRecorder({ ...recorder, name, onPanic: () => this.#onPanic() });
      this.#ready.resolve();
    } catch (error) {
      this.#ready.reject(error);
      throw error;
    }
    const onSignal = (): void => void this.save("SIGUSR2");
    const hasSignal = process.platform !== "win32";
    if (hasSignal) process.on("SIGUSR2", onSignal);
    await untilAborted(signal);
    process.off("SIGUSR2", onSignal);
  }

  /** Returns the recorded reconciles as the contents of a file. Undefined if nothing is recorded. */
  dump(): Buffer | undefined {
    return this.recorder?.dump(this.#options.clock.now());
  }

  /**
   * Saves the recorded reconciles in a new file that only this user may read. An error is logged.
   *
   * @param reason reason for the log
   * @returns the path of the file. Undefined if nothing was saved
   */
  save(reason: string): string | undefined {
    const { clock, logger, name, recorder } = this.#options;
    const time = new Date(clock.now()).toISOString().replace(/[:.]/g, "-");
    const file = join(recorder?.folder ?? tmpdir(), `${name.replace(/[^\w.-]/g, "_")}-${process.pid}-${time}.kwr`);
    try {
      const bytes = this.dump();
      if (!bytes) return undefined;
      writeFileSync(file, bytes, { mode: 0o600, flag: "wx" });
      logger.info({ file, bytes: bytes.length, reason }, "saved a recording of the most recent reconciles");
      return file;
    } catch (err) {
      logger.error({ err, file, reason }, "cannot save a recording of the most recent reconciles");
      return undefined;
    }
  }

  #onPanic(): void {
    if (this.#hasPanicked) return;
    this.#hasPanicked = true;
    this.save("programming error");
  }
}
