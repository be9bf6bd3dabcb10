type Env = Readonly<Record<string, string | undefined>>;

/** Console settings that `dev` passes to the program's process. */
export interface WantedConsole {
  readonly port: string;
  /** Session secret that keeps browsers signed in across restarts. */
  readonly session: string;
}

const portName = "KUBEWRIGHT_DEV_CONSOLE_PORT";
const sessionName = "KUBEWRIGHT_DEV_CONSOLE_SESSION";

export const consoleEnv = ({ port, session }: WantedConsole): Env => ({ [portName]: port, [sessionName]: session });

/** Returns the settings from the environment, or undefined if `dev` passed none. */
export function wantedConsole(env: Env): WantedConsole | undefined {
  const { [portName]: port, [sessionName]: session } = env;
  return port === undefined || session === undefined ? undefined : { port, session };
}

/** Settings for a recording that `dev` requests from the program's process. */
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

/** Returns the settings from the environment, or undefined if no recording was requested. */
export function wantedRecording(env: Env): WantedRecording | undefined {
  const { [fileName]: file, [redactName]: redact } = env;
  if (file === undefined || redact === undefined) return undefined;
  const paths: unknown = JSON.parse(redact);
  return { file, redact: Array.isArray(paths) ? paths.map(String) : [] };
}
