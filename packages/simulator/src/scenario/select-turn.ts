import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "./scenario.ts";
import type { Step } from "./step-shapes.ts";

export interface TurnChoice {
  readonly scenario: Scenario;
  /** The number of this invocation, from 0; asked for where the scenario advances by invocations. */
  readonly ticket: () => number;
  readonly prompt: string;
  /** How many turns the chat already holds. */
  readonly earlierTurns: number;
}

/** The steps to play, or `undefined` when the scenario has none for this turn and the agent thinks for itself. */
export function selectTurn({ scenario, ticket, prompt, earlierTurns }: TurnChoice): readonly Step[] | undefined {
  for (const { when, steps } of scenario.turns) {
    const match = when === undefined ? null : new RegExp(when, "s").exec(prompt);
    if (match !== null) return match.groups === undefined ? steps : fillGroups(steps, match.groups);
  }
  const plain = scenario.turns.filter(({ when }) => when === undefined);
  if (plain.length === 0) return undefined;
  const position = scenario.advance === "invocation" ? ticket() : earlierTurns;
  return plain[Math.min(position, plain.length - 1)]?.steps;
}

/** What the named groups of `when` have found, wherever the steps say `{{name}}`. */
function fillGroups<Value>(value: Value, groups: Readonly<Record<string, string | undefined>>): Value {
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) =>
    typeof part === "string" ? part.replaceAll(/\{\{(\w+)\}\}/g, (whole, name) => groups[name] ?? whole) : part,
  ) as Value;
}

/** Numbers the invocations of a scenario file, each number once, also when several start together: creating a file can only succeed once. */
export function takeTicket(scenarioPath: string): number {
  const directory = `${scenarioPath}.taken`;
  mkdirSync(directory, { recursive: true });
  for (let ticket = 0; ; ticket += 1) {
    try {
      closeSync(openSync(join(directory, String(ticket)), "wx"));
      return ticket;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
}
