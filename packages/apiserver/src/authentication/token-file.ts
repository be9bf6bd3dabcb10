import { StaticTokens } from "./bearer-token.ts";
import { CsvError, readCsv } from "./csv.ts";

/**
 * Parses a CSV file with tokens. The columns are token, user name, UID and, optionally, groups (separated by commas
 * within the column).
 *
 * @param path path of the file, for messages
 *
 * @throws {Error} with kube-apiserver's message if the file is not valid
 * @see apiserver pkg/authentication/token/tokenfile
 */
export function readTokenFile(path: string, text: string): StaticTokens {
  const tokens = new StaticTokens();
  for (const record of readCsv(text)) {
    const [token = "", name = "", uid = "", groups] = record;
    if (record.length < 3)
      throw new CsvError(
        `token file '${path}' must have at least 3 columns (token, user name, user uid), found ${record.length}`,
      );
    if (token === "") continue;
    tokens.add(token, { name, ...(uid ? { uid } : {}), groups: groups === undefined ? [] : groups.split(",") });
  }
  return tokens;
}
