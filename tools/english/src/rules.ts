/** A pattern that native writers do not use, and what to write instead. */
interface Rule {
  readonly pattern: RegExp;
  readonly remedy: string;
}

const rules: readonly Rule[] = [
  {
    pattern: /(?:^|[.:*] )(?:What|Who|Whoever|Whose) [a-z]+ [^.?!]* (?:is|are|has|goes|gets)\b(?![^.!]*\?)/,
    remedy: "make the subject a noun",
  },
  {
    pattern: /\b(?:tells?|told)\b|\b(?:is|are) said\b/i,
    remedy: "write report, print, return, show or contain",
  },
  {
    pattern: /(?<!\bthere )\b(?:is|are|was|were) (?:no|none)\b(?! (?:longer|more|one|less|later|earlier|other)\b)/i,
    remedy: 'write "is not a …", "is not valid" or "does not exist"',
  },
  { pattern: /\b(?:is|are|was|were) so\b(?! \w)/i, remedy: "name the state" },
  {
    pattern: /\bthat (?:is|are) there\b|\b(?:is|are) there no\b|\bthere no longer\b/i,
    remedy: 'write "existing" or "no longer exists"',
  },
  {
    pattern: /(?:^|[.:*] )(?:By|Of|In|Until|From) (?:which|when|what)\b(?![^.!]*\?)/,
    remedy: "define with a noun: Factor by which …, Deadline for …",
  },
  {
    pattern: /\b(?:is|are|was|were) to (?:be|bear|have)\b|\bcomes? to (?!an? (?:end|halt)\b)/i,
    remedy: "write must, can, becomes or contains",
  },
  { pattern: /\bbeside\b/i, remedy: 'write "next to" or "besides"' },
  { pattern: /\b(?:ails?|whoever|bars? its own)\b/i, remedy: "use the plain word" },
];

export interface Finding {
  readonly match: string;
  readonly remedy: string;
}

export function findingsIn(text: string, exceptions: readonly string[] = []): readonly Finding[] {
  const kept = exceptions.reduce((rest, one) => rest.replaceAll(one, "…"), text);
  return rules.flatMap(({ pattern, remedy }) => {
    const match = pattern.exec(kept)?.[0].trim();
    return match === undefined ? [] : [{ match, remedy }];
  });
}
