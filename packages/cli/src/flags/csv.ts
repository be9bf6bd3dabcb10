import { CsvError, readCsv } from "@kubewright/apiserver/authentication";

/** Parses the first record of comma-separated values. Returns Go's error message if the record is invalid. @see pflag readAsCSV */
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
