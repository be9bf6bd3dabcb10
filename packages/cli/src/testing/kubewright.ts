import { main } from "../main.ts";

// Runs the command in tests that need it as a process.
process.exitCode = await main(process.argv.slice(2));
