/** Ways in which some versions of the CLI differ from the one that is simulated; a scenario switches them on by name. */
export const quirkNames = ["plan-in-completion", "plan-in-query", "answers-without-arm"] as const;

export type QuirkName = (typeof quirkNames)[number];
