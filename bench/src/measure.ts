/** A subject to measure: `run` performs `operations` operations. */
export interface Subject {
  readonly name: string;
  readonly operations: number;
  run(): void | Promise<void>;
}

export interface Measurement {
  readonly name: string;
  /** Median over the rounds, for the whole process including other threads. */
  readonly operationsPerCpuSecond: number;
}

/**
 * Runs all subjects one after the other in each round, so that disturbances of the machine affect all of them. The first round
 * warms up.
 */
export async function measure(subjects: readonly Subject[], rounds: number): Promise<readonly Measurement[]> {
  const taken = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const subject of subjects) {
      const before = process.cpuUsage();
      await subject.run();
      const { user, system } = process.cpuUsage(before);
      if (round > 0) taken.get(subject.name)?.push(user + system);
    }
  }
  return subjects.map(({ name, operations }) => ({
    name,
    operationsPerCpuSecond: operations / (median(taken.get(name) ?? []) / 1e6),
  }));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [upper, lower] = [sorted[middle] ?? Number.NaN, sorted[middle - 1] ?? Number.NaN];
  return sorted.length % 2 === 1 ? upper : (lower + upper) / 2;
}
