import { stopSignal } from "./stop-signal.ts";

// Signals must take effect from the start, but loading the rest takes a second.
const signal = stopSignal(process);
const { program } = await import("./program.ts");
const { sealObjectPrototype } = await import("@kubewright/apimachinery");
sealObjectPrototype();
const exitCode = await program(process.argv.slice(2), signal);
// If standard output is a pipe, written text may still be in transit.
await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
// Everything still open has had enough time to end.
process.exit(exitCode);
