/**
 * Ranking of sections in search results: prose comes before the generated reference, which has by far the most
 * sections.
 */
export const searchOptions = {
  fuzzy: 0.2,
  prefix: true,
  boost: { title: 4, text: 2, titles: 1 },
  /** @param id address of a section, such as `/guide/queues#monitoring-a-queue` */
  boostDocument: (id: string): number => weights.find(([start]) => id.startsWith(start))?.[1] ?? 1,
};

const weights: readonly (readonly [string, number])[] = [
  ["/reference/api/", 0.15],
  ["/sdewan/kinds/", 0.15],
  ["/sdewan/", 0.5],
  ["/guide/renames", 0.2],
  ["/start/from-", 0.5],
  ["/contributing/", 0.5],
  ["/adr/", 0.5],
];
