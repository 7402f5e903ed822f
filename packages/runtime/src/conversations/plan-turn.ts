import { type AgentEventOf, CaretError, sideCallTitle, type TranscriptMessage } from "@caret/protocol";
import { passableText } from "../turns/prompt-marks.ts";
import type { TurnRequest } from "../turns/session-engine.ts";
import { demandRule } from "./demands/tool-demand.ts";
import { spokenText } from "./matching/chain.ts";
import type { TranscriptKey, TranscriptMatch } from "./matching/classify-transcript.ts";
import { endsWithResults, hasLostImages, renderPrompt, toolNamesOf } from "./render-prompt.ts";
import type { ResolvedRequest } from "./resolved-request.ts";

type Notice = AgentEventOf<"notice">;

/** A side call must not touch anyone's files, and no turn follows it. */
const asAside = { mode: "ask", isAside: true } as const;

/** The first turn of a session: its prompt holds everything the client sent. */
export function planFirstTurn(
  resolved: ResolvedRequest,
  /** A directory of ours that already contains the instructions. */
  scratch: string | undefined,
  { aside }: TranscriptKey,
  attachesImages: boolean,
): TurnRequest {
  const { question, model, workspace } = resolved;
  const { system, messages } = question;
  const instructions = scratch === undefined ? system : "";
  const title = firstQuestion(messages);
  const request: TurnRequest = {
    prompt: renderPrompt({ instructions, messages, toolNames: toolNamesOf(messages), attachesImages }),
    model,
    title: aside === undefined ? title : sideCallTitle(title),
    ...(aside === undefined ? ownerOf(resolved) : asAside),
    notices: [...lostCalls(messages), ...notOffered(resolved)],
  };
  const place = scratch ?? workspace;
  return place === undefined ? request : { ...request, workspace: place };
}

/** The next turn of a session: its prompt holds only what is new. */
export function planNextTurn(
  resolved: ResolvedRequest,
  { line, sessionId, newFrom, addedSystem, addedNotes, seen }: Extract<TranscriptMatch, { relation: "continuation" }>,
  { isScratch, attachesImages }: { readonly isScratch: boolean; readonly attachesImages: boolean },
): TurnRequest {
  const { question, model } = resolved;
  const { system, messages } = question;
  const instructions = newFrom === 0 ? system : addedSystem;
  const prompt = renderPrompt({
    instructions: isScratch ? "" : instructions,
    notes: addedNotes,
    messages: messages.slice(newFrom),
    toolNames: toolNamesOf(messages),
    attachesImages,
  });
  const notices = [...lostCalls(question.messages), ...notOffered(resolved)];
  const how = line.aside === undefined ? ownerOf(resolved) : asAside;
  const seenAt = seen === undefined ? {} : { afterSeq: seen.lastSeq };
  return { prompt, sessionId, ...seenAt, model, ...how, notices };
}

/** A second request to an agent that did not meet its client's demand. */
export interface AskedAgain {
  readonly prompt: string;
  /** Why, for the log. */
  readonly why: string;
  /** Only words are missing: an agent with its own tools gets read-only access, so it repeats no work. */
  readonly isForWords: boolean;
}

/** One more turn of a session whose agent ended its last one without meeting its client's demand. */
export function planDemand(
  resolved: ResolvedRequest,
  { sessionId, aside }: { readonly sessionId: string } & Pick<TranscriptKey, "aside">,
  { prompt, why, isForWords }: AskedAgain,
): TurnRequest {
  const forWords = isForWords && resolved.owner === "agent" ? { mode: "ask" as const } : ownerOf(resolved);
  const how = aside === undefined ? forWords : asAside;
  return {
    prompt,
    sessionId,
    model: resolved.model,
    ...how,
    notices: [{ type: "notice", kind: "not-obeyed", message: why }],
  };
}

/** The part of a turn's request that depends on the tools' owner: without an owner the agent only reads. */
function ownerOf(resolved: ResolvedRequest): Pick<TurnRequest, "mode" | "clientTools" | "gatewayTools"> {
  const { owner, terms, question, workspace } = resolved;
  const { system } = question;
  if (owner === "none") return { mode: "ask" };
  if (owner === "agent") return {};
  if (owner === "gateway") return { gatewayTools: { system, realWorkspace: requiredWorkspace(workspace) } };
  const rules = terms.demanded === undefined ? [system] : [system, demandRule(terms.demanded)];
  return {
    clientTools: {
      ...terms.offer,
      system: rules.join("\n\n"),
      ...(workspace === undefined ? {} : { realWorkspace: workspace }),
    },
  };
}

/** The gateway's tools work in the user's workspace; without one they have nothing to do. */
function requiredWorkspace(workspace: string | undefined): string {
  if (workspace !== undefined) return workspace;
  throw new CaretError("invalid-request", "Tools that the gateway runs need a workspace", {
    fix: "Name one in the request, or set `workspaces.default`.",
  });
}

/** A notice that results of calls which no agent waits for any more are sent again in the prompt. */
function lostCalls(messages: readonly TranscriptMessage[]): readonly Notice[] {
  if (!endsWithResults(messages)) return [];
  const message = "The agent that made these calls is gone; their results were given to a new one.";
  const images = "An image in a tool's result was not passed on: the new agent was sent the results as text.";
  return [
    { type: "notice", kind: "resume-lost", message },
    ...(hasLostImages(messages) ? [{ type: "notice", kind: "not-obeyed", message: images } as const] : []),
  ];
}

function notOffered({ unavailableTools }: ResolvedRequest): readonly Notice[] {
  if (unavailableTools.length === 0) return [];
  const message = `Nobody here can run these tools of the request, so they are not offered: ${unavailableTools.join(", ")}`;
  return [{ type: "notice", kind: "not-obeyed", message }];
}

/** The user's first question, without client notes. */
function firstQuestion(messages: readonly TranscriptMessage[]): string {
  const asked = messages.flatMap((message) => (message.role === "user" ? [spokenText(message.parts)] : []));
  return passableText(asked.find((text) => text !== "") ?? "");
}
