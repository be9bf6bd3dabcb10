type Env = Readonly<Record<string, string | undefined>>;

/** Recording that `dev` requests from the program's process. */
export interface WantedRecording {
  /** Absolute path of the file. */
  readonly file: string;
  /** Fields to redact in addition to the data of Secrets. */
  readonly redact: readonly string[];
}

const fileName = "KUBEWRIGHT_DEV_RECORD";
const redactName = "KUBEWRIGHT_DEV_REDACT";

export const recordEnv = ({ file, redact }: WantedRecording): Env => ({
  [fileName]: file,
  [redactName]: JSON.stringify(redact),
});

/** Returns the settings from the environment; undefined if nothing is recorded. */
export function wantedRecording(env: Env): WantedRecording | undefined {
  const { [fileName]: file, [redactName]: redact } = env;
  return file === undefined || redact === undefined ? undefined : { file, redact: JSON.parse(redact) as string[] };
}
