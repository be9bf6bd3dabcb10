import { namedKeys, namedStrings } from "./named-strings.ts";

/** A member of a Go struct. */
export interface Member {
  readonly struct: string;
  /** Where the struct is, such as `apps/v1`. */
  readonly apiVersion: string;
  readonly name: string;
}

/** The name of the string type that a member, or what is in its list or map, has; `undefined` for plain strings. */
export const namedStringOf = lookupIn(namedStrings);

/** What keys a map has, where they are no plain strings. */
export const namedKeyOf = lookupIn(namedKeys);

function lookupIn(table: string): (member: Member) => string | undefined {
  let byMember: ReadonlyMap<string, string> | undefined;
  return ({ struct, apiVersion, name }) => {
    byMember ??= new Map(
      table.split("\n").flatMap((line) => {
        const [type = "", ...members] = line.split(" ");
        return members.map((each) => [each, type] as const);
      }),
    );
    return byMember.get(`${struct}.${name}`) ?? byMember.get(`${apiVersion}.${struct}.${name}`);
  };
}
