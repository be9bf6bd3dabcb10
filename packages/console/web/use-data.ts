import { useEffect, useState } from "preact/hooks";
import { get, Refused, tick } from "./api.ts";

export interface Loaded<T> {
  readonly value?: T;
  readonly error?: string;
}

/** Loads a path, and reloads it at the given interval while it is visible and updates arrive. */
export function useData<T>(path: string, everySeconds = 1): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T> & { readonly path: string }>({ path });
  useEffect(() => {
    const gone = new AbortController();
    let isAsking = false;
    let passed = everySeconds;
    const ask = async (): Promise<void> => {
      isAsking = true;
      try {
        setLoaded({ path, value: await get<T>(path, gone.signal) });
      } catch (error) {
        // If the program is gone, the latest data remain visible.
        if (error instanceof Refused && !gone.signal.aborted) setLoaded({ path, error: error.message });
      }
      isAsking = false;
    };
    const stop = tick.subscribe(() => {
      if (isAsking || document.hidden || ++passed <= everySeconds) return;
      passed = 0;
      void ask();
    });
    return () => {
      gone.abort();
      stop();
    };
  }, [path, everySeconds]);
  return loaded.path === path ? loaded : {};
}
