import type { FlagValues } from "../flags/flag-values.ts";

/** Reads a flag's value and converts it to the type of an option. */
export type OptionReader<T> = (values: FlagValues, flag: string) => T;

export const asText: OptionReader<string> = (values, flag) => values.text(flag);
export const asBoolean: OptionReader<boolean> = (values, flag) => values.boolean(flag);
export const asNumber: OptionReader<number> = (values, flag) => values.number(flag);
export const asMilliseconds: OptionReader<number> = (values, flag) => values.milliseconds(flag);
export const asList: OptionReader<readonly string[]> = (values, flag) => values.list(flag);
export const asTexts: OptionReader<readonly string[]> = (values, flag) => values.texts(flag);
export const asMap: OptionReader<Readonly<Record<string, string>>> = (values, flag) => values.map(flag);

/** Returns a reader for a limit. As in kube-apiserver, `0` means that there is no limit. */
export const asLimit =
  (read: OptionReader<number>): OptionReader<number> =>
  (values, flag) =>
    read(values, flag) || Number.POSITIVE_INFINITY;

/** Flag and reader for each option. */
export type OptionReaders<T> = {
  readonly [K in keyof T]-?: readonly [flag: string, read: OptionReader<NonNullable<T[K]>>];
};

/** Returns the options whose flags were given. All other options keep their defaults. */
export function readOptions<T extends object>(values: FlagValues, readers: OptionReaders<T>): Partial<T> {
  const options: Partial<T> = {};
  for (const name of Object.keys(readers) as (keyof T)[]) {
    const [flag, read] = readers[name];
    if (values.has(flag)) options[name] = read(values, flag);
  }
  return options;
}

/** Returns the names of the flags that these readers read. */
export const flagsOf = <T extends object>(readers: OptionReaders<T>): string[] =>
  (Object.keys(readers) as (keyof T)[]).map((name) => readers[name][0]);
