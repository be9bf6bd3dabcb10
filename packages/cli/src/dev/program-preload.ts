import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import { createServer } from "node:net";
import process from "node:process";
import { systemClock } from "@kubewright/clock";
import type { Console } from "@kubewright/console";
import type { Manager } from "@kubewright/manager";
import { wantedConsole, wantedRecording } from "./program-env.ts";
import { StatusLoops } from "./status-loops.ts";

// Node.js loads this module into the program's process before the program's own code. It warns of endless reconciles, records reconciles if
// requested, adds a console to the first manager unless the program has its own, and prints the console's address. The objects that the
// channels publish come from the program's own packages, whose version may differ from this one.
subscribe("kubewright.manager.run", (manager) => {
  const warn = (text: string): void => void process.stderr.write(text);
  const loops = new StatusLoops({ manager: manager as Manager, warn });
  loops.run(new AbortController().signal).catch(ignoreAfterStop);
});

/** Ignores failed reads: the manager may have stopped, or lack a method because it is older. Neither harms the program. */
function ignoreAfterStop(): void {}

const wanted = wantedConsole(process.env);
if (wanted) {
  let hasConsole = false;
  subscribe("kubewright.console", (view) => {
    hasConsole = true;
    void print(view as Console);
  });
  subscribe("kubewright.manager.run", (manager) => {
    if (!hasConsole) void give(manager as Manager, wanted);
    hasConsole = true;
  });
}

async function give(manager: Manager, { port, session }: { readonly port: string; readonly session: string }) {
  try {
    const [{ addConsole }, free] = await Promise.all([import("@kubewright/console"), isFree(Number(port))]);
    addConsole(manager, { bindAddress: `127.0.0.1:${free ? port : 0}`, session });
  } catch (error) {
    // This happens, for example, while the manager is stopping.
    process.stderr.write(`  no console: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

async function print(view: Console): Promise<void> {
  await view.ready().then(
    () => process.stdout.write(`  console ${view.newUrl()}\n`),
    () => {}, // the manager reports the same error
  );
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once("error", () => resolve(false));
  server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  return promise;
}

/** Time between two additions to the recording, in ms, and maximum size of the file, which can still be read. */
const appendMs = 1_000;
const maxFileBytes = 200 << 20;

const recording = wantedRecording(process.env);
if (recording) {
  const { file, redact } = recording;
  const recorded = import("@kubewright/replay").then(({ FlightRecorder, RecordingWriter }) => {
    const recorder = new FlightRecorder({ maxBytes: 64 << 20 });
    const writer = new RecordingWriter({ redact });
    let left = maxFileBytes;
    const append = (): void => {
      const taken = recorder.take();
      if (taken.length === 0 || left <= 0) return;
      try {
        const bytes = writer.write(taken, systemClock.now());
        appendFileSync(file, bytes);
        left -= bytes.length;
        if (left <= 0) process.stderr.write(`  ${file} is full; further reconciles are not recorded\n`);
      } catch (error) {
        // A full disk, for example, must not end the program.
        left = 0;
        process.stderr.write(`  recording stopped: ${error instanceof Error ? error.message : String(error)}\n`);
      }
    };
    const later = (): void => {
      append();
      systemClock.after(appendMs, later, { unref: true });
    };
    later();
    process.once("exit", append);
    return recorder;
  });
  subscribe("kubewright.manager.run", (manager) => {
    void recorded.then((recorder) => {
      const { recording: holder }: Partial<Manager> = manager as Manager;
      if (holder) holder.recorder = recorder;
      else
        process.stderr.write("  nothing is being recorded, because the program uses an older version of kubewright\n");
    });
  });
}
