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

/** Returns the settings from the environment; undefined if `dev` passed none. */
export function wantedConsole(env: Env): WantedConsole | undefined {
  const { [portName]: port, [sessionName]: session } = env;
  return port === undefined || session === undefined ? undefined : { port, session };
}
