import { createWriteStream, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { AuditSink } from "./auditor.ts";

/** Appends to a file; `-` is standard output. @throws {Error} where the folder cannot be made */
export function auditLogFile(path: string, onFailure: (error: unknown) => void): AuditSink {
  if (path === "-") return { write: (line) => void process.stdout.write(`${line}\n`), close: async () => {} };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = createWriteStream(path, { flags: "a", mode: 0o600 });
  file.on("error", onFailure);
  return {
    write: (line) => void file.write(`${line}\n`),
    close: () => new Promise((resolve) => file.end(() => resolve())),
  };
}
