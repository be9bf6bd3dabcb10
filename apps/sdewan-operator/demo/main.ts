import { stopSignal } from "./stop-signal.ts";

// Signals are handled before the rest of the program is loaded, which takes a second.
const signal = stopSignal(process);
const { program } = await import("./program.ts");
const { sealObjectPrototype } = await import("@kubewright/apimachinery");
sealObjectPrototype();
const exitCode = await program(process.argv.slice(2), signal);
// If standard output is a pipe, some of the text may not have been written yet.
await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
// By now, everything that is still open has had enough time to end.
process.exit(exitCode);
