import { run } from "kubewright";

// A program that does nothing. The reference shows its --help.
await run(() => {}, { name: "node src/main.ts" });
