import { splitKey } from "@kubewright/apimachinery";
import { spanOfWrite } from "@kubewright/client";
import { type Attributes, type Span, type SpanLink, Tracer } from "@kubewright/tracing";
import type { Cause } from "./request.ts";

const tracer = new Tracer("@kubewright/controller");

export interface TracedReconcile {
  readonly controller: string;
  readonly request: unknown;
  readonly causes: readonly Cause[];
  /** Number of retries so far. */
  readonly retries: number;
}

/** Reports whether reconciles are traced. */
export const isTraced = (): boolean => tracer.isOn;

/**
 * Traces a reconcile as a span, `reconcile`: each cause is an event of the span, and a link to the call that wrote the object, if this
 * process made it. Calls of the reconcile's client are child spans.
 */
export function tracedReconcile<T>(told: TracedReconcile, work: (span: Span) => Promise<T>): Promise<T> {
  const { controller, request, causes, retries } = told;
  const links = causes.map(linkTo);
  const attributes = { "kubewright.controller": controller, "kubewright.reconcile.retries": retries };
  const options = {
    links: links.filter((link) => link !== undefined),
    attributes: { ...attributes, ...requestAttributes(request) },
  };
  return tracer.within("reconcile", options, async (span) => {
    for (const cause of causes) span.event("cause", attributesOf(cause));
    const done = await work(span);
    // A watch may report a write before its response has arrived.
    for (const cause of causes.filter((_, index) => !links[index])) {
      const late = linkTo(cause);
      if (late) span.link(late);
    }
    return done;
  });
}

function linkTo(cause: Cause): SpanLink | undefined {
  const { source, key, resourceVersion } = cause;
  const context = resourceVersion === undefined ? undefined : spanOfWrite(source, key, resourceVersion);
  return context && { context, attributes: attributesOf(cause) };
}

function attributesOf({ source, type, key, resourceVersion }: Cause): Attributes {
  return {
    "kubewright.cause.source": source,
    "kubewright.cause.type": type,
    "kubewright.cause.key": key,
    ...(resourceVersion === undefined ? {} : { "kubewright.cause.resource_version": resourceVersion }),
  };
}

/** Requests of other types may contain confidential data, so they have no attributes. */
function requestAttributes(request: unknown): Attributes {
  if (typeof request !== "string") return {};
  try {
    const { namespace, name } = splitKey(request);
    return { "kubewright.object.name": name, "k8s.namespace.name": namespace || undefined };
  } catch {
    return {};
  }
}
