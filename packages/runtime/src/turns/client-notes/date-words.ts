const MONTH =
  "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const WEEKDAY = "(?:mon|tue(?:s)?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?";
const CLOCK = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s?[ap]\.?m\b\.?)?`;
const ZONE = String.raw`(?:z\b|\s?(?:utc|gmt)?[+-]\d{1,2}(?::?\d{2})?\b|\s(?:utc|gmt)\b)`;
const DAY = String.raw`\d{1,2}(?:st|nd|rd|th)?`;

/** Full dates and times in the forms that clients put into prompts. */
const wholeDates = new RegExp(
  [
    String.raw`\b(?:${WEEKDAY}\.?,?\s+)?${MONTH}\.?\s+${DAY},?\s+\d{4}\b(?:,?\s+(?:at\s+)?${CLOCK}${ZONE}?)?`,
    String.raw`\b(?:${WEEKDAY}\.?,?\s+)?${DAY}\.?\s+${MONTH}\.?,?\s+\d{4}\b(?:,?\s+(?:at\s+)?${CLOCK}${ZONE}?)?`,
    String.raw`\b(?:${WEEKDAY}\.?,?\s+)?\d{4}-\d{2}-\d{2}(?:[t ,]+${CLOCK})?${ZONE}?`,
    String.raw`\b(?:${WEEKDAY}\.?,?\s+)?(?:\d{1,2}\.\d{1,2}\.\d{4}|\d{1,4}\/\d{1,2}\/\d{2,4})\b(?:,?\s+${CLOCK}${ZONE}?)?`,
    String.raw`\b${WEEKDAY}\s+${MONTH}\s+${DAY}\s+${CLOCK}(?:\s+\w{2,5})?\s+\d{4}\b`,
    String.raw`\b${CLOCK}${ZONE}?`,
    // Seconds or milliseconds since the epoch, for the first half of this century.
    String.raw`\b1[5-9]\d{8}(?:\d{3})?\b`,
  ].join("|"),
  "gi",
);

/** Words allowed in a line that only states the date: names of days and months, numbers, zones and the words between. */
const dateWords = new RegExp(
  String.raw`\b(?:${WEEKDAY}|${MONTH}|${DAY}|\d{4}|[ap]\.?m|utc|gmt|z|at|the|of|and|on|timezone|time\s?zone|[a-z]+\/[a-z_]+(?:\/[a-z_]+)?)\b|\b[A-Z]{3,5}\b`,
  "gi",
);

const label =
  /^[^\p{L}\p{N}]*(?:the\s+)?(?:(?:current|today['’]?s|local|system|user['’]?s)\s+)+(?:date\s*(?:and|&|\/|,)?\s*time|datetime|date|time|timestamp)(?:\s*\([^()\n]*\))?\s*(?:is\b|:|=)?\s*/iu;
const today = /^[^\p{L}\p{N}]*(?:today|now|it)\s+is\s+/iu;
const MAX_LINE = 200;

export function withoutDates(text: string, replacement: string): string {
  return text.replaceAll(wholeDates, replacement);
}

/** Whether a line states only the date or the time: "Today's date is Monday, 16 November 2026." */
export function isDateStatement(line: string): boolean {
  return isDateAfter(label, line);
}

/** The same for a line of a system prompt, where "It is Monday" cannot be an answer to a question. */
export function isDateLine(line: string): boolean {
  return isDateAfter(label, line) || isDateAfter(today, line);
}

function isDateAfter(lead: RegExp, line: string): boolean {
  if (line.length > MAX_LINE) return false;
  const said = lead.exec(line)?.[0];
  if (said === undefined) return false;
  const afterLead = line.slice(said.length);
  const rest = withoutDates(afterLead, " ").replaceAll(dateWords, " ");
  return rest !== afterLead && !/[\p{L}\p{N}]/u.test(rest);
}
