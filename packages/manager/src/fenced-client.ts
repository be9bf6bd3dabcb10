import type { ReadWriter, StatusWriter, SubResourceWriter } from "@kubewright/client";

/**
 * A client that writes only while `check` does not throw. It is asked right before each write, so that a process which was
 * stalled finds out before the write, not after.
 */
export function fencedClient(client: ReadWriter, check: () => void): ReadWriter {
  const fenced: Fence = async (write) => {
    check();
    return write();
  };
  return {
    get: (kind, key, options) => client.get(kind, key, options),
    list: (kind, options) => client.list(kind, options),
    create: (kind, object, options) => fenced(() => client.create(kind, object, options)),
    update: (kind, object, options) => fenced(() => client.update(kind, object, options)),
    patch: (kind, target, patch, options) => fenced(() => client.patch(kind, target, patch, options)),
    apply: (kind, configuration, options) => fenced(() => client.apply(kind, configuration, options)),
    delete: (kind, target, options) => fenced(() => client.delete(kind, target, options)),
    deleteCollection: (kind, options) => fenced(() => client.deleteCollection(kind, options)),
    status: fencedStatus(client.status, fenced),
    subResource: (name) => fencedSubResource(client.subResource(name), fenced),
  };
}

type Fence = <T>(write: () => Promise<T>) => Promise<T>;

function fencedStatus(status: StatusWriter, fenced: Fence): StatusWriter {
  return {
    update: (kind, object, options) => fenced(() => status.update(kind, object, options)),
    patch: (kind, target, patch, options) => fenced(() => status.patch(kind, target, patch, options)),
    apply: (kind, configuration, options) => fenced(() => status.apply(kind, configuration, options)),
  };
}

function fencedSubResource<N extends string>(inner: SubResourceWriter<N>, fenced: Fence): SubResourceWriter<N> {
  return {
    get: (kind, target, options) => inner.get(kind, target, options),
    getText: (kind, target, options) => inner.getText(kind, target, options),
    create: (kind, target, body, options) => fenced(() => inner.create(kind, target, body, options)),
    update: (kind, target, body, options) => fenced(() => inner.update(kind, target, body, options)),
    patch: (kind, target, patch, options) => fenced(() => inner.patch(kind, target, patch, options)),
  };
}
