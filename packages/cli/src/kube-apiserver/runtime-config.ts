import type { FlagValues } from "../flags/flag-values.ts";
import { booleanOf } from "../flags/go-numbers.ts";

/** `--runtime-config` as the server takes it. A key without a value is switched on. */
export const runtimeConfigOf = (values: FlagValues): Readonly<Record<string, boolean>> =>
  Object.fromEntries(
    Object.entries(values.map("runtime-config")).map(([key, value]) => [
      key,
      value === "" || (booleanOf(value) ?? false),
    ]),
  );

/** Versions that are switched on and that are not among those which are served by default. */
export const notServed = (config: Readonly<Record<string, boolean>>): string[] =>
  Object.entries(config).flatMap(([key, isOn]) =>
    isOn && (/^api\/(all|beta|alpha)$/.test(key) || /\/v\d+(alpha|beta)\d+(\/|$)/.test(key)) ? [key] : [],
  );
