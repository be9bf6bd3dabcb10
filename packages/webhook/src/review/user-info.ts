import { isRecord } from "@kubewright/apimachinery";
import { textField, textsField } from "./fields.ts";

/** The user who makes a request. */
export interface UserInfo {
  readonly username: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

export function readUserInfo(fields: Readonly<Record<string, unknown>>, path: string): UserInfo {
  const extra = isRecord(fields.extra) ? fields.extra : {};
  return {
    username: textField(fields, "username", path),
    uid: textField(fields, "uid", path),
    groups: textsField(fields, "groups", path),
    extra: Object.fromEntries(Object.keys(extra).map((key) => [key, textsField(extra, key, `${path}.extra`)])),
  };
}
