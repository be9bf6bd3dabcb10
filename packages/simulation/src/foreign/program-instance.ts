import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "@kubewright/clock";
import {
  type ApiCall,
  bodyOf,
  callOf,
  callText,
  type Handle,
  type InProcessRequest,
  type InProcessResponse,
  isWrite,
  resourceText,
} from "../cluster/api-call.ts";
import { RequestFaults } from "../cluster/request-faults.ts";
import { ForeignProcess } from "./foreign-process.ts";
import { ProgramListener } from "./program-listener.ts";

/** A write by the program, with the API server's response. */
export interface ProgramWrite {
  readonly call: ApiCall;
  readonly status: number;
  /** The write's field manager, as determined by the API server. */
  readonly manager: string;
}

export interface ProgramInstanceOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder for the kubeconfig. */
  readonly folder: string;
  /** Token with which the program authenticates. */
  readonly token: string;
  /** Handles the program's requests. */
  readonly handle: Handle;
  readonly signal: AbortSignal;
  readonly onFault: (text: string) => void;
  readonly onWrite: (write: ProgramWrite) => void;
  readonly onForbidden: (call: ApiCall) => void;
  readonly onWatch: (resource: string) => void;
  /** Called once if the program exits by itself. */
  readonly onEnd: (how: string) => void;
  /** Receives the faults before the process starts. */
  readonly prepare?: ((faults: RequestFaults) => void) | undefined;
}

/** Delay of a response that times out, in milliseconds. */
const timeoutMs = 2_000;

/**
 * Resources that are ignored because they serve only reporting or leader election, where faults would only take time.
 */
const passing: ReadonlySet<string> = new Set([
  "events",
  "leases",
  "tokenreviews",
  "subjectaccessreviews",
  "selfsubjectaccessreviews",
  "selfsubjectrulesreviews",
  "localsubjectaccessreviews",
]);

/**
 * One of the program's processes, with its own listener for requests to the API server. The listener is closed when the
 * process is killed.
 */
export class ProgramInstance {
  readonly faults: RequestFaults;
  readonly #options: ProgramInstanceOptions;
  /** Number of open watches, keyed by resource. */
  readonly #watches = new Map<string, number>();
  #process: ForeignProcess | undefined;
  #listener: ProgramListener | undefined;
  #isRevoked = false;

  private constructor(options: ProgramInstanceOptions) {
    this.#options = options;
    const { signal, onFault } = options;
    this.faults = new RequestFaults({
      pause: (ms) => systemClock.sleep(ms, signal),
      note: onFault,
      timeoutMs,
    });
  }

  static async start(options: ProgramInstanceOptions): Promise<ProgramInstance> {
    const instance = new ProgramInstance(options);
    const listener = await ProgramListener.open((request) => instance.#answer(request));
    instance.#listener = listener;
    const { command, cwd, env, folder, token, onEnd, prepare } = options;
    const kubeconfig = join(folder, "kubeconfig");
    prepare?.(instance.faults);
    writeFileSync(kubeconfig, kubeconfigText(listener, token), { mode: 0o600 });
    // Clients prefer the settings of the pod in which they run.
    const { KUBERNETES_SERVICE_HOST: _host, KUBERNETES_SERVICE_PORT: _port, ...others } = env;
    instance.#process = new ForeignProcess({
      ...{ command, cwd, folder, onEnd },
      env: { ...others, KUBECONFIG: kubeconfig },
    });
    return instance;
  }

  get isAlive(): boolean {
    return !this.#isRevoked && this.#process?.isAlive === true;
  }

  /** Resources that the process is currently watching. */
  get watched(): readonly string[] {
    return [...this.#watches].flatMap(([resource, count]) => (count > 0 ? [resource] : []));
  }

  /** Returns the last lines of the program's output. */
  lastLines(count: number): readonly string[] {
    return this.#process?.lastLines(count) ?? [];
  }

  /** Kills the process. Afterwards, none of its requests reach the API server. */
  kill(): void {
    this.#isRevoked = true;
    this.#process?.kill();
  }

  /** Kills the process, and waits until it has exited. */
  async stop(): Promise<void> {
    this.kill();
    this.faults.heal();
    await this.#process?.stop();
    await this.#listener?.[Symbol.asyncDispose]();
  }

  async #answer(request: InProcessRequest): Promise<InProcessResponse> {
    if (this.#isRevoked) throw new Error("the process was killed");
    const call = callOf(request);
    const handle = call && passing.has(call.resource) ? undefined : this.faults.handlerFor(call, this.#served);
    const response = await (handle ?? this.#served)(request);
    if (this.#isRevoked) throw new Error("the process was killed");
    return response;
  }

  /** Passes a request to the API server, and records the result. */
  readonly #served = async (request: InProcessRequest): Promise<InProcessResponse> => {
    const response = await this.#options.handle(request);
    const call = callOf(request);
    if (!call || passing.has(call.resource)) return response;
    const { status } = response;
    if (isWrite(call)) this.#options.onWrite({ call, status, manager: managerOf(request) });
    if (status === 403) return this.#refused(call, response);
    return call.verb === "watch" && status === 200 ? this.#counted(call, response) : response;
  };

  /** Distinguishes a missing permission from other reasons for a rejection, such as quotas. */
  async #refused(call: ApiCall, response: InProcessResponse): Promise<InProcessResponse> {
    const body = await bodyOf(response);
    if (/is forbidden: User \\?"[^"]*" cannot /.test(body.toString("latin1"))) this.#options.onForbidden(call);
    return { ...response, body: once(body) };
  }

  #counted(call: ApiCall, response: InProcessResponse): InProcessResponse {
    const resource = resourceText(call);
    this.#options.onWatch(resource);
    const add = (count: number): void => void this.#watches.set(resource, (this.#watches.get(resource) ?? 0) + count);
    const { body } = response;
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      add(1);
      try {
        yield* body;
      } finally {
        add(-1);
      }
    };
    return { ...response, body: counted() };
  }
}

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}

/** @see apiserver pkg/endpoints/handlers/create.go managerOrUserAgent */
function managerOf({ path, headers }: InProcessRequest): string {
  const given = new URLSearchParams(path.split("?")[1]).get("fieldManager");
  if (given) return given;
  const agent = headers["user-agent"];
  return (
    String(agent ?? "")
      .split("/")[0]
      ?.slice(0, 128) || "unknown"
  );
}

/** Returns a kubeconfig, as JSON, which is YAML. */
function kubeconfigText({ url, caData }: ProgramListener, token: string): string {
  const cluster = { server: url, "certificate-authority-data": Buffer.from(caData).toString("base64") };
  const name = "simulation";
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: "default" } }],
    "current-context": name,
  });
}

/** Describes a write, such as `create secrets default/north → 409`. */
export const writeText = ({ call, status }: ProgramWrite): string =>
  `${callText(call)}${status >= 300 ? ` → ${status}` : ""}`;
