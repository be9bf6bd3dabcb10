/** Calls `work` and prints how long it took. */
export async function timed<T>(what: string, out: (line: string) => void, work: () => T | Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await work();
  } finally {
    out(`time: ${what} ${((performance.now() - began) / 1_000).toFixed(1)} s`);
  }
}
