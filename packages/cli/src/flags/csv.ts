import { CsvError, readCsv } from "@kubewright/apiserver/authentication";

/** The first record of comma-separated values; or what is wrong with it, in Go's words. @see pflag readAsCSV */
export function parseCsv(text: string): { readonly fields: readonly string[] } | { readonly error: string } {
  if (text === "") return { fields: [] };
  try {
    const [fields] = readCsv(text);
    return fields ? { fields } : { error: "EOF" };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return { error: error.message };
  }
}
