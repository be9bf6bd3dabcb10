type Env = Readonly<Record<string, string | undefined>>;

/** What `dev` tells the program's process of the console that it is to have. */
export interface WantedConsole {
  readonly port: string;
  /** That browsers have from one start to the next. */
  readonly session: string;
}

const portName = "KUBEWRIGHT_DEV_CONSOLE_PORT";
const sessionName = "KUBEWRIGHT_DEV_CONSOLE_SESSION";

export const consoleEnv = ({ port, session }: WantedConsole): Env => ({ [portName]: port, [sessionName]: session });

/** Nothing where there is to be none. */
export function wantedConsole(env: Env): WantedConsole | undefined {
  const { [portName]: port, [sessionName]: session } = env;
  return port === undefined || session === undefined ? undefined : { port, session };
}
