import { choose } from "./seeded-random.ts";

const openings: readonly [string, ...string[]] = [
  "In short,",
  "At first,",
  "Over time,",
  "Of course,",
  "Oddly enough,",
  "In practice,",
];
const subjects: readonly [string, ...string[]] = [
  "the subject",
  "every part of it",
  "a careful reader",
  "the simplest view",
  "this side of it",
  "the rest",
];
const verbs: readonly [string, ...string[]] = ["shows", "hides", "explains", "repeats", "questions", "carries"];
const objects: readonly [string, ...string[]] = [
  "more than it seems to",
  "what came before",
  "a small surprise",
  "the same idea again",
  "its own reason",
  "the whole story",
];

/** Exactly so many words about a topic: no wisdom, but the right length and the same every time. */
export function longText(topic: string, wordCount: number, random: () => number): string {
  const words: string[] = [];
  for (let sentence = 0; words.length < wordCount; sentence++) words.push(...toSentence(topic, sentence, random));
  const text = words.slice(0, wordCount).join(" ");
  return /[.!?]$/.test(text) ? text : `${text.replace(/[,;]$/, "")}.`;
}

function toSentence(topic: string, index: number, random: () => number): readonly string[] {
  const about = index % 4 === 0 ? `with ${topic} in mind,` : "";
  const sentence = [
    choose(random, openings),
    about,
    choose(random, subjects),
    choose(random, verbs),
    choose(random, objects),
  ];
  return `${sentence.filter((part) => part !== "").join(" ")}.`.split(" ");
}
