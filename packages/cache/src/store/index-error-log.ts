import type { Logger } from "@kubewright/log";
import type { IndexError } from "./value-index.ts";

/** Logs what index functions fail on. */
export const indexErrorLog =
  (logger: Logger) =>
  (err: IndexError): void =>
    logger.error(
      { err, kind: err.kind, object: err.key, index: err.index },
      "an index function failed, the object is left out of that index",
    );
