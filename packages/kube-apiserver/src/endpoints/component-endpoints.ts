import { StatusError } from "@kubewright/apimachinery";
import type { ApiRequest } from "@kubewright/apiserver/endpoints";
import { sendText } from "@kubewright/apiserver/endpoints";
import type { DelegationTarget } from "@kubewright/apiserver/server";
import { healthCheckLines, mirroredVersion } from "@kubewright/apiserver/server";
import { type Clock, rfc3339 } from "@kubewright/clock";

interface ComponentFacts {
  readonly clock: Clock;
  /** Content of `/flagz`. */
  readonly flags: Readonly<Record<string, string>>;
}

const group = "config.k8s.io";
const caution =
  "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.";
const paths = ["/flagz", "/healthz", "/livez", "/metrics", "/readyz", "/statusz", "/version"];

/** All paths handled by {@link componentEndpoints}. */
export const componentPaths: readonly string[] = ["/flagz", "/metrics/slis", "/statusz"];

/**
 * Serves `/statusz`, `/flagz` and `/metrics/slis`, as text or, on request, in a machine-readable format.
 *
 * @see component-base zpages
 */
export function componentEndpoints({ clock, flags }: ComponentFacts): DelegationTarget {
  const startedMs = clock.now();
  const { major, minor, patch } = mirroredVersion;
  const statusz = () => ({
    startTime: rfc3339(startedMs),
    uptimeSeconds: Math.floor((clock.now() - startedMs) / 1_000),
    goVersion: "none",
    binaryVersion: `${major}.${minor}.${patch}`,
    emulationVersion: `${major}.${minor}`,
    paths,
  });
  return {
    async serve(request) {
      switch (request.info.path) {
        case "/metrics/slis":
          sendText(request, 200, healthCheckLines(), "text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
          return true;
        case "/statusz":
          send(request, "Statusz", statusz(), (status) => statusText(status, startedMs));
          return true;
        case "/flagz":
          send(request, "Flagz", { flags }, (shown) =>
            Object.entries(shown.flags)
              .map(([name, value]) => `${name}: ${value}\n`)
              .join(""),
          );
          return true;
        default:
          return false;
      }
    },
  };
}

function statusText(
  { uptimeSeconds, goVersion, binaryVersion, emulationVersion }: Readonly<Record<string, unknown>>,
  startedMs: number,
): string {
  const up = Number(uptimeSeconds);
  const lines = [
    ["Started", new Date(startedMs).toUTCString()],
    ["Up", `${Math.floor(up / 3_600)} hr ${String(Math.floor(up / 60) % 60).padStart(2, "0")} min ${up % 60} sec`],
    ["Go version", goVersion],
    ["Binary version", binaryVersion],
    ["Emulation version", emulationVersion],
    ["Paths", paths.join(" ")],
  ];
  return `\n${lines.map(([name, value]) => `${String(name)}: ${String(value)}\n`).join("")}`;
}

/** Sends a response as JSON if the client requests the response's kind, and as text otherwise. */
function send<T extends Readonly<Record<string, unknown>>>(
  request: ApiRequest,
  kind: string,
  value: T,
  textOf: (value: T) => string,
): void {
  const name = "apiserver";
  const wanted = (request.header("accept") || "*/*").split(",").map((range) => range.trim().replaceAll(" ", ""));
  const isText = wanted.some((range) => /^(\*\/\*|text\/\*|text\/plain)(;|$)/.test(range));
  const isKind = wanted.some((range) => {
    const [type, ...parameters] = range.split(";");
    return (
      type === "application/json" && [`as=${kind}`, `g=${group}`, "v=v1alpha1"].every((p) => parameters.includes(p))
    );
  });
  if (isKind) {
    const object = { kind, apiVersion: `${group}/v1alpha1`, metadata: { name }, ...value };
    sendText(request, 200, `${JSON.stringify(object)}\n`, `application/json;g=${group};v=v1alpha1;as=${kind}`);
    return;
  }
  if (!isText) throw notAcceptable();
  const text = `\n${name} ${kind.toLowerCase()}\n${caution}\n${textOf(value)}`;
  sendText(request, 200, text, "text/plain; charset=utf-8");
}

const notAcceptable = (): StatusError =>
  new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "only the following media types are accepted: application/json, application/yaml, text/plain",
    reason: "NotAcceptable",
    code: 406,
  });
