import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import type { Clock } from "@kubewright/clock";
import type { RequestObserver } from "./request-observer.ts";

/** Looks up names like connections do by default, and reports the duration to observers. Addresses are not looked up. */
export function timedLookup(observers: ReadonlySet<RequestObserver>, clock: Clock): LookupFunction {
  return (host, options, done) => {
    const began = clock.monotonic();
    lookup(host, options, (...outcome) => {
      const durationMs = clock.monotonic() - began;
      for (const observer of observers) observer.resolved?.({ host, durationMs });
      done(...outcome);
    });
  };
}
