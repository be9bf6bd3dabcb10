import type { FlagValues } from "../flags/flag-values.ts";
import { booleanOf } from "../flags/go-numbers.ts";

/** Parses `--runtime-config`. A key without a value counts as enabled. */
export const runtimeConfigOf = (values: FlagValues): Readonly<Record<string, boolean>> =>
  Object.fromEntries(
    Object.entries(values.map("runtime-config")).map(([key, value]) => [
      key,
      value === "" || (booleanOf(value) ?? false),
    ]),
  );

/** Returns the keys that enable versions that this server does not have. */
export const notServed = (config: Readonly<Record<string, boolean>>): string[] =>
  Object.entries(config).flatMap(([key, isOn]) =>
    isOn && (/^api\/(all|beta|alpha)$/.test(key) || /\/v\d+(alpha|beta)\d+(\/|$)/.test(key)) ? [key] : [],
  );
