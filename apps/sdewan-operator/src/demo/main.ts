import { stopSignal } from "./stop-signal.ts";

// Signals count from the first moment on; the rest takes a second to load.
const signal = stopSignal(process);
const { program } = await import("./program.ts");
const { sealObjectPrototype } = await import("@kubewright/apimachinery");
sealObjectPrototype();
const exitCode = await program(process.argv.slice(2), signal);
// Where standard output is a pipe, what was written may still be on its way.
await new Promise<void>((resolve) => process.stdout.write("", () => resolve()));
// What is still open was given its time to end.
process.exit(exitCode);
