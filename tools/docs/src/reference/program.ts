import { run } from "kubewright";

// A program that does nothing, for its --help.
await run(() => {}, { name: "node src/main.ts" });
