import { inDemandedShape } from "./demanded-json.ts";
import { estimateUsage } from "./estimate-usage.ts";
import { type FollowOptions, followSteps, isRefused, type Outcome } from "./follow-steps.ts";
import { historyParts } from "./history-parts.ts";
import type { Intent, Model, ModelCall, ModelReply, ModelRequest, Step } from "./model.ts";
import { peculiarCall } from "./peculiar-call.ts";
import { announce, cleanOutput, describeIntent, report, reportFailures, wantsBareOutput } from "./phrasing.ts";
import { planSteps } from "./plan-steps.ts";
import { seededRandom } from "./seeded-random.ts";
import { talk, wantedWords, whoAmI } from "./talk-rules.ts";
import { todoCall } from "./todo-call.ts";
import { isToolSearch, toolSearchCall } from "./tool-search.ts";
import { isToldToEnd, type TurnView, viewTurn } from "./turn-rounds.ts";
import { workingDirectoryIn } from "./working-directory.ts";

/** Whatever happens, a turn ends after so many replies. */
const MAX_ROUNDS = 24;

type Draft = Omit<ModelReply, "usage">;

/**
 * A mind made of rules: it finds out what a prompt wants, does it with whatever tools there are, and says what came of
 * it. It keeps nothing between calls; everything it knows is in the request.
 */
export function createRuleModel({ seed }: { readonly seed: number }): Model {
  return (request) => {
    const draft = think(request, seed);
    return { ...draft, usage: estimateUsage(request.messages, draft) };
  };
}

function think(request: ModelRequest, seed: number): Draft {
  const view = viewTurn(request.messages);
  const answer = quickAnswer(view, seed);
  if (answer !== undefined) return speak(answer, view);
  const steps = stepsOf(view, request);
  if (steps.length === 0) return converse(view, request, seed);
  return act(steps, view, request);
}

/** Prompts that look like work but are not: titles, exact words, results that are there already. */
function quickAnswer(view: TurnView, seed: number): string | undefined {
  const results = historyParts(view.prompt).flatMap((part) => (part.kind === "result" ? [part] : []));
  if (results.length > 0)
    return results.map(({ name, text }) => `\`${name}\` gave:\n\n${cleanOutput(text)}`).join("\n\n");
  if (/^\s*(?:please\s+)?(?:reply|respond|answer|say|output)\b/i.test(view.prompt)) {
    const words = wantedWords(view.prompt);
    if (words !== undefined) return words;
  }
  const isAside = /\btitle\b|\bsummari[sz]e\b.*\b(?:conversation|session|chat)\b/i;
  return isAside.test(view.prompt) || /\btitle generator\b/i.test(view.system) ? talkAbout(view, seed) : undefined;
}

function talkAbout(view: TurnView, seed: number): string | undefined {
  return talk(view.prompt, {
    earlier: view.earlierPrompts,
    system: view.system,
    random: seededRandom(seed, view.prompt),
  });
}

function stepsOf(view: TurnView, request: ModelRequest): readonly Step[] {
  const steps = planSteps(view.prompt);
  if (request.mode !== "plan") return steps;
  const onlyLooks =
    steps.length > 0 && steps.flat().every(({ kind }) => /^(?:read|list|search|find|fetch|ask)$/.test(kind));
  const wantsWork =
    steps.length > 0 || /\b(?:plan|implement|add|build|fix|refactor|design|write|create)\b/i.test(view.prompt);
  return onlyLooks || !wantsWork ? steps : [[{ kind: "plan", prompt: view.prompt }]];
}

/** No work to do by the rules: a tool of a special kind, an answer from the head, or an honest shrug. */
function converse(view: TurnView, request: ModelRequest, seed: number): Draft {
  const results = view.rounds.flatMap(({ results: all }) => all);
  if (results.length > 0)
    return speak(
      results.map(({ call, output }) => `\`${call.name}\` answered: ${cleanOutput(output)}`).join("\n\n"),
      view,
    );
  const answer = talkAbout(view, seed) ?? wantedWords(view.prompt);
  if (answer !== undefined) return speak(answer, view);
  const call = peculiarCall(view.prompt, request.offeredTools);
  if (call !== undefined) return { text: `I'll use \`${call.name}\`.`, calls: [call] };
  return speak(`${whoAmI}\n\nI did not understand: "${view.prompt.slice(0, 200)}"`, view);
}

function act(steps: readonly Step[], view: TurnView, request: ModelRequest): Draft {
  const last = view.rounds.at(-1)?.results ?? [];
  if (last.some(({ ok, output }) => !ok && isToldToEnd(output))) return speak("I stop here.", view);
  const options = followOptions(view, request);
  const todos = todoCall(steps, view, options);
  const rounds = view.rounds
    .map(({ results }) => ({ results: results.filter(({ call }) => !isTodo(call) && !isSearch(call, request)) }))
    .filter(({ results }) => results.length > 0);
  const { next, outcomes } = followSteps(steps, rounds, options);
  if (view.rounds.length >= MAX_ROUNDS) return finish(outcomes, view);
  if (next.length === 0) {
    const closing = todos.closing();
    return closing === undefined ? finish(outcomes, view) : { calls: [closing] };
  }
  const opening = todos.opening();
  const calls = [...(opening === undefined ? [] : [opening]), ...next.map(({ call }) => call)];
  const isQuiet = wantedWords(view.prompt) !== undefined || wantsBareOutput(view.prompt);
  const words = isQuiet
    ? {}
    : {
        text: announce(
          next.map(({ intent }) => intent),
          rounds.length === 0,
        ),
      };
  return { ...thoughts(view, steps), ...words, calls };
}

function followOptions(view: TurnView, request: ModelRequest): FollowOptions {
  const servers = request.offeredTools.map(({ server }) => server.toLowerCase());
  const system = view.system.toLowerCase();
  const isToldToUseOffered = /\bmcp\b/.test(system) || servers.some((server) => system.includes(server));
  const wasRefused = view.earlierResults.some((result) => result.call.server === undefined && isRefused(result));
  const prefersOffered = servers.length > 0 && (isToldToUseOffered || wasRefused);
  return {
    request,
    side: prefersOffered ? "offered" : "native",
    workingDirectory: workingDirectoryIn(view.inputs),
    lookForTool: (intent) => (request.offeredTools.length === 0 ? undefined : lookForTool(intent, view, request)),
  };
}

/** Once for each thing that is missing: what is not found the first time is not there. */
function lookForTool(intent: Intent, view: TurnView, { offeredTools }: ModelRequest): ModelCall | undefined {
  const wanted = intent.kind === "call" ? { tool: intent.tool } : {};
  const call = toolSearchCall({ ...wanted, purpose: describeIntent(intent) }, offeredTools);
  const made = view.rounds.flatMap(({ results }) => results.map((result) => JSON.stringify(result.call)));
  return call === undefined || made.includes(JSON.stringify(call)) ? undefined : call;
}

function finish(outcomes: readonly Outcome[], view: TurnView): Draft {
  const words = wantedWords(view.prompt);
  if (words === undefined) return speak(report(outcomes, view.prompt), view);
  return speak([reportFailures(outcomes), words].filter((part) => part !== "").join("\n\n"), view);
}

function speak(text: string, view: TurnView): Draft {
  return { ...thoughts(view, []), text: inDemandedShape(text, view.system), calls: [] };
}

/** It thinks aloud once, at the start of a turn that asks for it or has several steps. */
function thoughts(view: TurnView, steps: readonly Step[]): { readonly thinking?: string } {
  const isAsked = /\bthink(?:ing)?\b/i.test(view.prompt);
  if (view.rounds.length > 0 || (!isAsked && steps.length < 2)) return {};
  const wishes = steps.flat().map(describeIntent).join(", then ");
  const subject = view.prompt.replace(/\s+/g, " ").slice(0, 120);
  return {
    thinking: `The user says: "${subject}". ${wishes === "" ? "I can answer that at once." : `I should ${wishes}.`}`,
  };
}

function isSearch({ server, name }: ModelCall, { offeredTools }: ModelRequest): boolean {
  return server !== undefined && offeredTools.some((tool) => tool.name === name && isToolSearch(tool));
}

function isTodo({ server, name }: ModelCall): boolean {
  return server === undefined && name === "updateTodos";
}
