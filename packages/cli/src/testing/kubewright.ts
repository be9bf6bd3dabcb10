import { main } from "../main.ts";

// The command, for tests that run it as a process.
process.exitCode = await main(process.argv.slice(2));
